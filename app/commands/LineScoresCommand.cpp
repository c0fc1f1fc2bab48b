#include "app/arguments/CommandProgress.h"
#include "app/arguments/DataSetArguments.h"
#include "app/arguments/FilesRead.h"
#include "app/arguments/ModelArguments.h"
#include "app/arguments/Note.h"
#include "app/arguments/RepeatableOption.h"
#include "app/arguments/SurveyedModels.h"
#include "app/arguments/UsageError.h"
#include "app/commands/CommandList.h"
#include "app/commands/Commands.h"
#include "core/analysis/LineMeasures.h"
#include "core/array/NumbersFile.h"
#include "core/array/Table.h"
#include "core/files/AtomicFile.h"
#include "core/files/Overwriting.h"
#include "core/network/Device.h"
#include "core/survey/reading/MeasureSummary.h"
#include "core/text/Words.h"
#include "core/train/DataSet.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <numeric>
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

/// The spread of a head's line measures, in the order of lineMeasureNames.
struct ScoredHead {
  std::string layer;
  int head = 0;
  std::array<ValueSpread, lineMeasureNames.size()> measures;
};

std::string columnText(const std::optional<double>& number) {
  if (!number) return "-";
  std::ostringstream text;
  text << std::fixed << std::setprecision(4) << *number;
  return text.str();
}

/// Column titles of the printed table, in the order of lineMeasureNames.
constexpr std::array<const char*, lineMeasureNames.size()> columnTitles = {
    "line score", "centred", "key norm", "query direction"};

void printScores(const std::vector<ScoredHead>& heads) {
  std::size_t layerWidth = std::string("layer").size();
  for (const ScoredHead& head : heads) {
    layerWidth = std::max(layerWidth, printableName(head.layer).size());
  }
  const auto layer = std::setw(static_cast<int>(layerWidth));
  const auto widthOf = [](const char* title) {
    return static_cast<int>(std::max(std::string(title).size(), std::string("-0.0000").size())) + 2;
  };
  std::cout << std::left << layer << "layer" << std::right << "  head";
  for (const char* title : columnTitles) {
    std::cout << std::setw(widthOf(title)) << title << std::setw(11) << "deviation";
  }
  std::cout << "  pictures\n";
  for (const ScoredHead& head : heads) {
    std::cout << std::left << layer << printableName(head.layer) << std::right << std::setw(6)
              << head.head;
    for (std::size_t i = 0; i < head.measures.size(); ++i) {
      std::cout << std::setw(widthOf(columnTitles[i])) << columnText(head.measures[i].mean())
                << std::setw(11) << columnText(head.measures[i].deviation());
    }
    std::cout << std::setw(10) << head.measures.front().pictures() << '\n';
  }
}

std::string largestScoreSentence(const std::vector<ScoredHead>& heads) {
  const auto score = [](const ScoredHead& head) { return head.measures.front().mean(); };
  // Nothing is less than any number.
  const auto largest = std::ranges::max_element(heads, {}, score);
  if (largest == heads.end() || !score(*largest)) return "No head's line score is defined.";
  return "Head " + std::to_string(largest->head) + " of " + largest->layer +
         " has the largest mean line score, " + columnText(score(*largest)) + ".";
}

Table tableOf(const std::string& model, const std::vector<ScoredHead>& heads) {
  Table table{{"model", "layer", "head", "pictures"}, {}};
  for (const LineMeasure& measure : lineMeasureNames) {
    const std::string column = measure.name;
    table.columns.push_back(column);
    // The first column has always had this name.
    table.columns.push_back(column == "line_score" ? "deviation" : column + "_deviation");
  }
  for (const ScoredHead& head : heads) {
    std::vector<Table::Cell> row{model, head.layer, std::int64_t{head.head},
                                 head.measures.front().pictures()};
    for (const ValueSpread& spread : head.measures) {
      row.push_back(cellOf(spread.mean()));
      row.push_back(cellOf(spread.deviation()));
    }
    table.add(std::move(row));
  }
  table.sentence = largestScoreSentence(heads);
  return table;
}

/// Returns the files in the form that a survey takes, without classes that a model would know.
PictureList filesOf(const ClassFolders& folders) {
  PictureList list;
  for (const ClassFolders::File& file : folders.files) list.entries.push_back({.path = file.path});
  return list;
}

std::vector<ScoredHead> headsOf(const SurveyedModel& model) {
  std::vector<ScoredHead> heads;
  for (const LayerSummary& layer : model.measuredLayers()) {
    for (int head = 0; head < layer.heads; ++head)
      heads.push_back({.layer = layer.name, .head = head});
  }
  return heads;
}

int scoreLines(const LineScoresArguments& arguments) {
  checkPreparation(arguments.data);
  if (!arguments.table.empty()) {
    if (!isStreamPath(arguments.table)) {
      requireEnding(arguments.table, "a table of line scores", {".csv", ".json"});
    }
    checkOutputs({arguments.table}, filesReadFor(arguments.model, {}));
    checkWritable(arguments.table);
  }
  setComputeThreads(1);
  ProgressLine line;
  Progress progress;
  const Interruption interruption(progress);
  const ClassFolders folders = listClassFolders(arguments.data.folder, arguments.data.split);
  const PictureList pictures = filesOf(folders);
  if (!arguments.table.empty()) refuseToOverwrite(arguments.table, filesRead(pictures));
  std::vector<std::string> names;
  for (const LineMeasure& measure : lineMeasureNames) names.push_back(measure.name);
  const PictureMeasurement measurement(
      openSurveyedModels(
          arguments.model, arguments.layers,
          [&](const Model& model) { return chosenTransform(model, arguments.data); },
          arguments.data.size, pictures, line, progress),
      chosenMeasures(names), arguments.data.reading);
  std::vector<ScoredHead> heads = headsOf(measurement.models().front());
  ReadableClasses classes(folders);
  NotedPictures noted;
  SurveyPace pace(pictures.entries.size());
  std::vector<std::int64_t> all(pictures.entries.size());
  std::iota(all.begin(), all.end(), 0);
  measurePictures(
      measurement, pictures, all, workersFor(arguments.model.threads),
      [&](std::int64_t picture, const MeasuredPicture& measured) {
        const std::string& path = pictures.entries[static_cast<std::size_t>(picture)].path;
        classes.add(measured.unreadable.empty() ? "" : path + ": " + measured.unreadable);
        noted.add(path, measured.note);
        for (std::size_t head = 0; head < measured.values.heads.size(); ++head) {
          for (std::size_t i = 0; i < heads[head].measures.size(); ++i) {
            heads[head].measures[i].add(measured.values.heads[head][i]);
          }
        }
        pace.addPicture();
        line.show(pace.text());
      },
      progress);
  line.clear();
  noteUnreadable(classes.unreadable(), line);
  noteSources(noted, line);
  // The table would stand among the rows of /dev/stdout.
  if (arguments.table.empty() || !isStreamPath(arguments.table)) printScores(heads);
  const std::filesystem::path checkpoint = arguments.model.checkpoints.front();
  if (!arguments.table.empty()) {
    writeNumbersFile(arguments.table, tableOf(checkpoint.stem().string(), heads));
    sayWritten(arguments.table);
  }
  return 0;
}

}  // namespace

void addLineScoresCommand(CLI::App& program, Command& chosen) {
  auto arguments = std::make_shared<LineScoresArguments>();
  CLI::App* command = addListedCommand(program, "linescores");
  addDataSet(*command, arguments->data);
  addModels(*command, arguments->model, true);
  takeOneModel(*command);
  addRepeatable(*command, "--layer", arguments->layers, "Layers by name or pattern (default: all)")
      ->type_name("LAYER");
  command
      ->add_option("--data", arguments->table,
                   "Write the numbers as .csv, or as .json with the result in a sentence")
      ->type_name("FILE");
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
