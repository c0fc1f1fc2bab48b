#include "app/arguments/CommandProgress.h"
#include "app/arguments/DataSetArguments.h"
#include "app/arguments/ModelArguments.h"
#include "app/arguments/Note.h"
#include "app/arguments/SurveyedModels.h"
#include "app/commands/CommandList.h"
#include "app/commands/Commands.h"
#include "core/network/Device.h"
#include "core/text/Words.h"
#include "core/train/ClassFolders.h"
#include "core/train/Evaluation.h"
#include "models/OpenModel.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>

namespace softscope {

namespace {

struct EvaluateArguments {
  ModelArguments model;
  DataSetArguments data;
};

/// Prints an accuracy in percent: `cat  91.33 % +- 1.17 (527 of 577)`. The name is safe to print.
void printAccuracy(const std::string& name, std::size_t width, std::int64_t right,
                   std::int64_t pictures, double standardError) {
  std::cout << std::left << std::setw(static_cast<int>(width)) << name << std::right << std::fixed
            << std::setprecision(2) << std::setw(8)
            << 100.0 * static_cast<double>(right) / static_cast<double>(pictures) << " % +- "
            << 100 * standardError << "  (" << right << " of " << pictures << ")\n";
}

void printResult(const EvaluationResult& result) {
  std::size_t width = std::string("accuracy").size();
  for (const auto& entry : result.classes) {
    width = std::max(width, printableName(entry.name).size());
  }
  for (const auto& entry : result.classes) {
    EvaluationResult alone;
    alone.right = entry.right;
    alone.pictures = entry.pictures;
    printAccuracy(printableName(entry.name), width, entry.right, entry.pictures,
                  alone.standardError());
  }
  printAccuracy("accuracy", width, result.right, result.pictures, result.standardError());
}

void requireClasses(const ModelSummary& summary) {
  if (summary.classes > 0) return;
  throw ModelError(summary.path +
                   ": is a backbone without a classifier, so it has no accuracy; give a checkpoint "
                   "that predicts classes");
}

/// Reports the pictures that the network has no answer to.
void noteUndefined(const EvaluationResult& result, ProgressLine& line) {
  if (result.undefined == 0) return;
  line.note("the network answers " + countedText(result.undefined, "picture") +
            " with NaN, which counts as wrong");
}

int evaluateModel(const EvaluateArguments& arguments) {
  checkPreparation(arguments.data);
  setComputeThreads(1);
  ProgressLine line;
  Progress progress = percentOn(line);
  const Interruption interruption(progress);
  const auto model = openClassifier(arguments.model.request(0, arguments.data.size), progress);
  const ModelSummary& summary = model->summary();
  requireClasses(summary);
  line.clear();
  noteGuesses(summary);
  EvaluationOptions options;
  options.transform = chosenTransform(*model, arguments.data);
  options.reading = arguments.data.reading;
  // Before any picture is read, so that a data set with other classes is reported at once.
  const ClassFolders folders = listClassFolders(arguments.data.folder, arguments.data.split);
  options.logitOfClass =
      matchClasses(arguments.data.folder, folders.classes, summary.classNames, summary.classes);
  noteOrder(folders.classes, summary, line);
  const FileEvaluation evaluation =
      evaluateFiles(*model, folders, options, workersFor(arguments.model.threads), progress);
  line.clear();
  noteUnreadable(evaluation.unreadable, line);
  noteSources(evaluation.noted, line);
  noteUndefined(evaluation.result, line);
  printResult(evaluation.result);
  return 0;
}

}  // namespace

void addEvaluateCommand(CLI::App& program, Command& chosen) {
  auto arguments = std::make_shared<EvaluateArguments>();
  CLI::App* command = addListedCommand(program, "evaluate");
  addDataSet(*command, arguments->data);
  addModels(*command, arguments->model, true);
  takeOneModel(*command);
  command->footer(
      "Each picture alone, on one thread (--threads says how many at a time), prepared as "
      "published\n"
      "evaluations do it, the camera's orientation ignored. The figure after +- is the standard "
      "error of a share of that many pictures.\n\n"
      "Example:\n  softscope evaluate -m soft_norm_nano.safetensors everyday10");
  command->callback(
      [&chosen, arguments] { chosen = [arguments] { return evaluateModel(*arguments); }; });
}

}  // namespace softscope
