#include "app/arguments/DataSetArguments.h"
#include "app/arguments/Interruption.h"
#include "app/arguments/LayerChoice.h"
#include "app/arguments/ModelArguments.h"
#include "app/arguments/ProgressLine.h"
#include "app/arguments/RepeatableOption.h"
#include "app/commands/Commands.h"
#include "core/AtomicFile.h"
#include "core/analysis/LineScoreSurvey.h"
#include "core/array/Table.h"
#include "core/inspect/Inspector.h"
#include "core/model/Device.h"
#include "core/train/Augmentation.h"
#include "core/train/DataSet.h"
#include "models/OpenModel.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace softscope {

namespace {

struct LineScoresArguments {
  ModelArguments model;
  DataSetArguments data;
  std::vector<std::string> layers{"all"};
  std::string table;
};

InputTensor tensorOf(const Picture& picture, const InputTransform& transform) {
  InputTensor tensor{picture.height, picture.width, {}};
  tensor.values.resize(static_cast<std::size_t>(3) * static_cast<std::size_t>(picture.height) *
                       static_cast<std::size_t>(picture.width));
  normalisePicture(picture, transform.mean, transform.deviation, tensor.values.data());
  return tensor;
}

std::string numberText(const std::optional<double>& number) {
  if (!number) return "-";
  std::ostringstream text;
  text << std::fixed << std::setprecision(4) << *number;
  return text.str();
}

void printScores(const std::vector<SurveyedHead>& heads) {
  std::size_t width = std::string("layer").size();
  for (const SurveyedHead& head : heads) width = std::max(width, head.layer.size());
  const auto name = std::setw(static_cast<int>(width));
  std::cout << std::left << name << "layer" << std::right
            << "  head  line score  deviation  pictures\n";
  for (const SurveyedHead& head : heads) {
    std::cout << std::left << name << head.layer << std::right << std::setw(6) << head.head
              << std::setw(12) << numberText(head.mean) << std::setw(11)
              << numberText(head.deviation) << std::setw(10) << head.pictures << '\n';
  }
}

Table tableOf(const std::string& model, const std::vector<SurveyedHead>& heads) {
  Table table;
  table.columns = {"model", "layer", "head", "pictures", "line_score", "deviation"};
  for (const SurveyedHead& head : heads) {
    table.add({model, head.layer, std::int64_t{head.head}, head.pictures, cellOf(head.mean),
               cellOf(head.deviation)});
  }
  return table;
}

int scoreLines(const LineScoresArguments& arguments) {
  if (!arguments.table.empty()) checkWritable(arguments.table);
  setComputeThreads(arguments.model.threads);
  ProgressLine line;
  Progress progress = percentOn(line);
  const Interruption interruption(progress);
  const auto model = openModel(arguments.model.request(0), progress);
  checkLayers(model->summary(), arguments.layers);
  const InputTransform transform = chosenTransform(*model, arguments.data);
  LineScoreSurvey scores;
  const std::vector<std::string> unreadable = forEachPicture(
      listClassFolders(arguments.data.folder, arguments.data.split), asEvaluated(transform),
      [&](const LabelledPicture& entry) {
        const auto look = inspect(*model, tensorOf(entry.picture, transform));
        scores.add(chosenLayers(*look, arguments.layers, model->summary().mechanism), progress);
      },
      "Scoring lines", progress);
  const std::vector<SurveyedHead> heads = scores.heads();
  line.clear();
  noteUnreadable(unreadable, line);
  printScores(heads);
  const std::filesystem::path checkpoint = arguments.model.checkpoints.front();
  if (!arguments.table.empty()) {
    writeCsv(arguments.table, tableOf(checkpoint.stem().string(), heads));
  }
  return 0;
}

}  // namespace

void addLineScoresCommand(CLI::App& program, Command& chosen) {
  auto arguments = std::make_shared<LineScoresArguments>();
  CLI::App* command = program.add_subcommand(
      "linescores", "Measure how much of every head's attention is vertical lines, over a folder");
  addDataSet(*command, arguments->data);
  addModels(*command, arguments->model, true);
  takeOneModel(*command);
  addRepeatable(*command, "--layer", arguments->layers, "Layers by name or pattern (default: all)")
      ->type_name("LAYER");
  command->add_option("--data", arguments->table, "Write the numbers as CSV")->type_name("FILE");
  command->footer(
      "The line score is the share of a matrix's variance that the means of its columns explain:\n"
      "1 where every query attends alike. It is computed picture by picture; told are its mean "
      "and\n"
      "its deviation from picture to picture.\n\n"
      "Example:\n  softscope linescores -m preresnet20_nl.safetensors cifar10 --data lines.csv");
  command->callback(
      [&chosen, arguments] { chosen = [arguments] { return scoreLines(*arguments); }; });
}

}  // namespace softscope
