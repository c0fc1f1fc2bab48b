#include "app/arguments/FigureArguments.h"

#include "app/arguments/DrawingArguments.h"
#include "app/arguments/DrawsFigures.h"
#include "app/arguments/Note.h"
#include "app/arguments/RepeatableOption.h"
#include "app/arguments/UsageError.h"
#include "core/array/NumbersFile.h"
#include "core/files/AtomicFile.h"
#include "core/text/Words.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <utility>

namespace softscope {

namespace {

/// Returns "heads, compare and matrix".
std::string listed(const std::vector<std::string>& kinds) {
  std::string names;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    names += (i == 0 ? "" : i + 1 == kinds.size() ? " and " : ", ") + kinds[i];
  }
  return names;
}

/// Keeps the order in which `--query` and `--at` were given.
void addQueryOption(CLI::App& command, const std::string& name, QueryText::Kind kind,
                    FigureArguments& arguments, const std::string& type,
                    const std::string& description) {
  addCommon(arguments, analysesThat(&AnalysisDescription::asksQueries),
            command
                .add_option_function<std::string>(
                    name,
                    [kind, &arguments](const std::string& text) {
                      arguments.queries.push_back({kind, text});
                    },
                    description)
                ->type_name(type)
                ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
                ->trigger_on_parse()
                ->group("What is shown"));
}

void addOutputOptions(CLI::App& command, FigureArguments& arguments) {
  command
      .add_option(
          "-o,--output", arguments.output,
          "Figure to write: .png, .svg or .pdf (vector text and lines); figure page: .html; "
          "figure sweep: .gif, .webp, or a new folder, of numbered .png")
      ->type_name("FILE")
      // An empty group hides options that are only read to be refused with a clear message.
      ->group(drawsFigures ? "Output" : "");
  command
      .add_option(
          "--data", arguments.data,
          "Write the numbers behind the figure: arrays of panels as .npz, plots as .csv, either "
          "as .json with the result in a sentence")
      ->type_name("FILE")
      ->group("Output");
}

void addShownOptions(CLI::App& command, FigureArguments& arguments) {
  addRepeatable(command, "--layer", arguments.layers,
                "Layer by name or pattern, or all; repeatable. With several models: a name for all "
                "of them, or as many names as models, one for each")
      ->type_name("NAME")
      ->group("What is shown");
  addCommon(
      arguments, analysesThat(&AnalysisDescription::choosesHeads),
      addRepeatable(
          command, "--head", arguments.heads,
          "Head N, counted from 0, all, mean (over heads) or max (the largest in magnitude over "
          "heads); repeatable")
          ->type_name("N|all|mean|max")
          ->group("What is shown"));
  addCommon(arguments, analysesThat(&AnalysisDescription::takesMaps),
            addSetting(command, mapSetting, arguments.shown)->group("What is shown"));
  forEachSetting(channelSettings, [&](const auto& setting) {
    addCommon(arguments, analysesThat(&AnalysisDescription::takesChannel),
              addSetting(command, setting, arguments.channel)->group("What is shown"));
  });
  addQueryOption(command, "--query", QueryText::Kind::Patch, arguments, "ROW,COL",
                 "Query patch in the grid of the first layer shown, counted from 0, or class or "
                 "tokenN: a token before "
                 "the patches, such as a register; repeatable");
  addQueryOption(command, "--at", QueryText::Kind::Place, arguments, "X,Y",
                 "Query as fractions of the picture from its left and top; repeatable. X,Y,class "
                 "or X,Y,tokenN: such a token where a layer has it");
  if constexpr (drawsFigures) addMarkOption(command, arguments);
  addCommon(arguments, {"heads", "page", "sweep", "compare"},
            command
                .add_option("--direction", arguments.direction,
                            "rows: what the query attends to; columns: who attends to it")
                ->type_name("rows|columns")
                ->check(CLI::IsMember({"rows", "columns"}))
                ->capture_default_str()
                ->group("What is shown"));
}

void addPictureOptions(CLI::App& command, FigureArguments& arguments) {
  addRepeatable(command, "--size", arguments.sizes,
                "N: the published evaluation's resize and centre crop to N x N. HxW: the whole "
                "picture at that size. full: the picture as it is. Once, or once per -m (then "
                "published, too)")
      ->type_name("SIZE")
      ->group("Picture");
  addReadingOptions(command, arguments.reading);
}

}  // namespace

void FigureArguments::expandWildcards() {
  const bool oncePerModel = sizes.size() > 1 && sizes.size() == model.checkpoints.size();
  const std::vector<std::size_t> origins = model.expandWildcards();
  if (!oncePerModel) return;
  std::vector<std::string> repeated;
  for (const std::size_t origin : origins) repeated.push_back(sizes[origin]);
  sizes = std::move(repeated);
}

InputOptions FigureArguments::input(std::size_t index) const {
  requireOncePerModel("--size", sizes.size(), model.checkpoints.size());
  InputOptions options;
  options.reading = reading;
  if (!sizes.empty()) options.size = sizes[sizes.size() == 1 ? 0 : index];
  if (options.size == "published") options.size.clear();
  return options;
}

Direction FigureArguments::readDirection() const {
  return direction == "rows" ? Direction::Rows : Direction::Columns;
}

void addFigureOptions(CLI::App& command, FigureArguments& arguments) {
  addOutputOptions(command, arguments);
  if constexpr (drawsFigures) addLooksOptions(command, arguments);
  addShownOptions(command, arguments);
  if constexpr (drawsFigures) addColorOptions(command, arguments);
  addPictureOptions(command, arguments);
}

void addCompareOptions(CLI::App& command, FigureArguments& arguments) {
  addOwnSettings(command, arguments, "compare", "Compare", comparisonSettings,
                 arguments.comparison);
}

CLI::Option* addCommon(FigureArguments& arguments, const std::vector<std::string>& kinds,
                       CLI::Option* option) {
  addOwn(arguments, kinds, option, true);
  return option;
}

void addOwn(FigureArguments& arguments, const std::vector<std::string>& kinds, CLI::Option* option,
            bool isCommon) {
  // A group of options that belong to a single kind is named after it.
  const auto suffix = [](const std::vector<std::string>& several) {
    return several.size() > 1 ? " (figure " + listed(several) + ")" : std::string();
  };
  auto own = std::ranges::find(arguments.ownOptions, option, &OwnOption::option);
  if (own == arguments.ownOptions.end()) {
    own = arguments.ownOptions.insert(own, {option, {}, isCommon});
  }
  std::string description = option->get_description();
  description.resize(description.size() - suffix(own->kinds).size());
  own->kinds.insert(own->kinds.end(), kinds.begin(), kinds.end());
  option->description(description + suffix(own->kinds));
}

void checkOwnOptions(const FigureArguments& arguments) {
  for (const auto& [option, kinds, isCommon] : arguments.ownOptions) {
    const bool belongs = std::find(kinds.begin(), kinds.end(), arguments.kind) != kinds.end();
    if (belongs || option->count() == 0) continue;
    const std::string whose = option->get_name() + " belongs to figure " + listed(kinds);
    if (!isCommon) throw UsageError(whose);
    noteOnResult(whose + "; figure " + arguments.kind + " passes over it");
  }
}

void checkOver(const FigureArguments& arguments, const std::vector<std::string>& names) {
  const bool isKnown = std::ranges::find(names, arguments.over) != names.end();
  if (arguments.over.empty() || isKnown) return;
  throw UsageError("--over of figure " + arguments.kind + " is " + listedWithOr(names) + ", not " +
                   arguments.over);
}

void checkFiles(const FigureArguments& arguments, FigureNumbers numbers) {
  if constexpr (drawsFigures) checkDrawing(arguments);
  const std::string ending = numbers == FigureNumbers::Table ? ".csv" : ".npz";
  if (arguments.data.empty() || isJsonFile(arguments.data)) return;
  if (std::filesystem::path(arguments.data).extension() == ending) return;
  throw UsageError("figure " + arguments.kind + " writes its numbers as " + ending +
                   " or .json, not " + arguments.data);
}

void sayWrittenOf(const FigureArguments& arguments, const std::string& path) {
  const auto isStream = [](const std::string& file) { return !file.empty() && isStreamPath(file); };
  if (!isStream(arguments.output) && !isStream(arguments.data)) sayWritten(path);
}

void writeNumbers(const FigureArguments& arguments, const Table& table) {
  if (arguments.data.empty()) return;
  writeNumbersFile(arguments.data, table);
  sayWrittenOf(arguments, arguments.data);
}

void writeNumbers(const FigureArguments& arguments, const NamedArrays& arrays,
                  const std::vector<std::string>& notes) {
  if (arguments.data.empty()) return;
  writeNumbersFile(arguments.data, arrays, notes);
  sayWrittenOf(arguments, arguments.data);
}

}  // namespace softscope
