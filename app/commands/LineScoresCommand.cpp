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
#include <array>
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

/// What the columns of the printed table are called, in the order of lineMeasureNames.
constexpr std::array<const char*, lineMeasureNames.size()> columnTitles = {
    "line score", "centred", "key norm", "query direction"};

void printScores(const std::vector<SurveyedHead>& heads) {
  std::size_t layerWidth = std::string("layer").size();
  for (const SurveyedHead& head : heads) layerWidth = std::max(layerWidth, head.layer.size());
  const auto layer = std::setw(static_cast<int>(layerWidth));
  const auto widthOf = [](const char* title) {
    return static_cast<int>(std::max(std::string(title).size(), std::string("-0.0000").size())) + 2;
  };
  std::cout << std::left << layer << "layer" << std::right << "  head";
  for (const char* title : columnTitles) {
    std::cout << std::setw(widthOf(title)) << title << std::setw(11) << "deviation";
  }
  std::cout << "  pictures\n";
  for (const SurveyedHead& head : heads) {
    std::cout << std::left << layer << head.layer << std::right << std::setw(6) << head.head;
    for (std::size_t i = 0; i < head.measures.size(); ++i) {
      std::cout << std::setw(widthOf(columnTitles[i])) << numberText(head.measures[i].mean)
                << std::setw(11) << numberText(head.measures[i].deviation);
    }
    std::cout << std::setw(10) << head.measures.front().pictures << '\n';
  }
}

Table tableOf(const std::string& model, const std::vector<SurveyedHead>& heads) {
  Table table{{"model", "layer", "head", "pictures"}, {}};
  for (const LineMeasure& measure : lineMeasureNames) {
    const std::string column = measure.name;
    table.columns.push_back(column);
    // The first one's has always been called so.
    table.columns.push_back(column == "line_score" ? "deviation" : column + "_deviation");
  }
  for (const SurveyedHead& head : heads) {
    std::vector<Table::Cell> row{model, head.layer, std::int64_t{head.head},
                                 head.measures.front().pictures};
    for (const MeasureSpread& spread : head.measures) {
      row.push_back(cellOf(spread.mean));
      row.push_back(cellOf(spread.deviation));
    }
    table.add(std::move(row));
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
  const std::string obstacle = model->summary().obstacleTo("attention on other pictures");
  if (!obstacle.empty()) throw InspectionError(obstacle);
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
      "1 where every query attends alike. centred: of the matrix less its row means, which a "
      "softmax\n"
      "makes equal and other mechanisms do not. key norm, query direction: the correlation of the\n"
      "column means with the keys' norms, and with the keys' products with the mean query. All "
      "are\n"
      "computed picture by picture; told are mean and deviation from picture to picture.\n\n"
      "Example:\n  softscope linescores -m preresnet20_nl.safetensors cifar10 --data lines.csv");
  command->callback(
      [&chosen, arguments] { chosen = [arguments] { return scoreLines(*arguments); }; });
}

}  // namespace softscope
