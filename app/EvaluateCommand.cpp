#include "app/Commands.h"
#include "app/Input.h"
#include "app/Interruption.h"
#include "app/ModelArguments.h"
#include "app/ProgressLine.h"
#include "core/inspect/Device.h"
#include "core/train/ClassFolders.h"
#include "core/train/Evaluation.h"
#include "models/OpenModel.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace softscope {

namespace {

struct EvaluateArguments {
  ModelArguments model;
  std::string dataSet;
  std::string split = "val";
  std::string size;
  double crop = 0;
};

InputTransform chosenTransform(const Model& model, const EvaluateArguments& arguments) {
  InputTransform transform = withInputSize(model.summary().transform, chosenSize(arguments.size));
  if (arguments.crop > 0) transform.cropFraction = arguments.crop;
  return transform;
}

/// A share of right answers in percent: `91.33 % +- 1.17 (527 of 577)`.
void print(const std::string& name, std::size_t width, std::int64_t right, std::int64_t pictures,
           double standardError) {
  std::cout << std::left << std::setw(static_cast<int>(width)) << name << std::right << std::fixed
            << std::setprecision(2) << std::setw(8)
            << 100.0 * static_cast<double>(right) / static_cast<double>(pictures) << " % +- "
            << 100 * standardError << "  (" << right << " of " << pictures << ")\n";
}

void printResult(const EvaluationResult& result) {
  std::size_t width = std::string("accuracy").size();
  for (const auto& entry : result.classes) width = std::max(width, entry.name.size());
  for (const auto& entry : result.classes) {
    const EvaluationResult alone{{}, entry.right, entry.pictures, 0};
    print(entry.name, width, entry.right, entry.pictures, alone.standardError());
  }
  print("accuracy", width, result.right, result.pictures, result.standardError());
}

int evaluateModel(const EvaluateArguments& arguments) {
  setComputeThreads(arguments.model.threads);
  ProgressLine line;
  Progress progress([&](double fraction, const std::string& what) {
    line.show(what + ", " + std::to_string(static_cast<int>(100 * fraction)) + " %");
  });
  const Interruption interruption(progress);
  const auto model = openModel(arguments.model.request(0), progress);
  const ModelSummary& summary = model->summary();
  EvaluationOptions options;
  options.transform = chosenTransform(*model, arguments);
  // Before any picture is read: a data set of other classes is told at once.
  const std::vector<std::string> classes =
      listClassFolders(arguments.dataSet, arguments.split).classes;
  options.logitOfClass =
      matchClasses(arguments.dataSet, classes, summary.classNames, summary.classes);
  const DataSet data =
      readDataSet(arguments.dataSet, arguments.split, asEvaluated(options.transform), progress);
  const EvaluationResult result = evaluate(model->network(), data, options, progress);
  line.clear();
  if (!data.unreadable.empty()) {
    line.note("passed over " + std::to_string(data.unreadable.size()) +
              " files that are not readable pictures, the first: " + data.unreadable.front());
  }
  printResult(result);
  return 0;
}

}  // namespace

void addEvaluateCommand(CLI::App& program, Command& chosen) {
  auto arguments = std::make_shared<EvaluateArguments>();
  CLI::App* command =
      program.add_subcommand("evaluate", "Measure a model's accuracy on a folder of pictures");
  command
      ->add_option("DATASET", arguments->dataSet,
                   "Folder of train/ and val/, each with a folder of pictures per class")
      ->type_name("")
      ->required();
  addModels(*command, arguments->model, true);
  command->get_option("--model")->expected(1)->take_last();
  command->add_option("--split", arguments->split, "Folder in DATASET to evaluate on")
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("--size", arguments->size, "As for dump; without it, the model's own")
      ->type_name("SIZE")
      ->group("Picture");
  command
      ->add_option("--crop", arguments->crop,
                   "Side of the crop over the shorter side of the resized picture, e.g. 0.875")
      ->check(CLI::Range(0.01, 1.0))
      ->type_name("FRACTION")
      ->group("Picture");
  command->footer(
      "One picture at a time, prepared as published evaluations do it, the camera's orientation\n"
      "ignored. The figure after +- is the standard error of a share of that many pictures.\n\n"
      "Example:\n  softscope evaluate -m soft_norm_nano.safetensors everyday10");
  command->callback(
      [&chosen, arguments] { chosen = [arguments] { return evaluateModel(*arguments); }; });
}

}  // namespace softscope
