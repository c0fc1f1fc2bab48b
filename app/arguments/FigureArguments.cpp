#include "app/arguments/FigureArguments.h"

#include "app/arguments/Note.h"
#include "app/arguments/RepeatableOption.h"
#include "app/arguments/UsageError.h"
#include "core/image/ColorMap.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

namespace softscope {

namespace {

/// The kinds that show what a query attends to, those that show heads one by one, in colours, those
/// that show any matrix which multiplies V, and those whose colours lie on patches of the picture.
const std::vector<std::string> kindsOfQueries = {"heads", "compare", "matrix", "bottleneck"};
const std::vector<std::string> kindsOfHeads = {"heads", "compare", "saliency", "matrix",
                                               "bottleneck"};
const std::vector<std::string> kindsOfMaps = {"heads", "compare", "matrix", "spectrum"};
const std::vector<std::string> kindsOfPatches = {"heads", "compare", "saliency", "bottleneck"};

/// "heads, compare and matrix".
std::string listed(const std::vector<std::string>& kinds) {
  std::string names;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    names += (i == 0 ? "" : i + 1 == kinds.size() ? " and " : ", ") + kinds[i];
  }
  return names;
}

/// One that every kind accepts. Returns it.
CLI::Option* addCommon(FigureArguments& arguments, const std::vector<std::string>& kinds,
                       CLI::Option* option) {
  addOwn(arguments, kinds, option, true);
  return option;
}

/// Keeps the order in which `--query` and `--at` were given.
void addQueryOption(CLI::App& command, const std::string& name, QueryText::Kind kind,
                    FigureArguments& arguments, const std::string& type,
                    const std::string& description) {
  addCommon(arguments, kindsOfQueries,
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
      .add_option("-o,--output", arguments.output,
                  "Figure to write: .png, .svg or .pdf (vector text and lines)")
      ->type_name("FILE")
      ->group("Output");
  command
      .add_option("--data", arguments.data,
                  "Write the numbers behind the figure: arrays of panels as .npz, plots as .csv")
      ->type_name("FILE")
      ->group("Output");
}

/// What a reader of --help is told that a number is by default; 0 columns is said in words.
template <typename Setting>
void captureDefault(const Setting&, const FigureSettings&, CLI::Option*) {}

template <typename Type>
void captureDefault(const NumberSetting<FigureSettings, Type>& setting,
                    const FigureSettings& settings, CLI::Option* option) {
  if (settings.*setting.member >= setting.leastGiven) option->capture_default_str();
}

void captureDefault(const NameSetting<FigureSettings>&, const FigureSettings&,
                    CLI::Option* option) {
  option->capture_default_str();
}

void addLooksOptions(CLI::App& command, FigureArguments& arguments) {
  forEachSetting(figureSettings, [&](const auto& setting) {
    CLI::Option* option = addSetting(command, setting, arguments.settings);
    captureDefault(setting, arguments.settings, option);
    option->group(option->check_name("--dpi") ? "Output" : "Looks");
    if (option->check_name("--background")) arguments.background = option;
  });
  command
      .add_option("--theme", arguments.theme, "light: --background white; dark: --background dark")
      ->type_name("light|dark")
      ->check(CLI::IsMember({"light", "dark"}))
      ->capture_default_str()
      ->group("Looks");
}

void addShownOptions(CLI::App& command, FigureArguments& arguments) {
  addRepeatable(command, "--layer", arguments.layers,
                "Layer by name or pattern, or all; repeatable. With several models: a name for all "
                "of them, or as many names as models, one for each")
      ->type_name("NAME")
      ->group("What is shown");
  addCommon(
      arguments, kindsOfHeads,
      addRepeatable(
          command, "--head", arguments.heads,
          "Head N, counted from 0, all, mean (over heads) or max (the largest in magnitude over "
          "heads); repeatable")
          ->type_name("N|all|mean|max")
          ->group("What is shown"));
  addCommon(arguments, kindsOfMaps,
            addSetting(command, mapSetting, arguments.shown)->group("What is shown"));
  addQueryOption(command, "--query", QueryText::Kind::Patch, arguments, "ROW,COL",
                 "Query patch in the first layer's grid, counted from 0, or class; repeatable");
  addQueryOption(command, "--at", QueryText::Kind::Place, arguments, "X,Y",
                 "Query as fractions of the picture from its left and top; repeatable. X,Y,class: "
                 "the class token where a layer has one");
  addCommon(arguments, kindsOfQueries,
            addRepeatable(
                command, "--mark", arguments.marks,
                "A query's letter and colour, once per query (default: A, B, ... where several)")
                ->type_name("LETTER:COLOUR")
                ->group("What is shown"));
  addCommon(arguments, {"heads", "compare"},
            command
                .add_option("--direction", arguments.direction,
                            "rows: what the query attends to; columns: who attends to it")
                ->type_name("rows|columns")
                ->check(CLI::IsMember({"rows", "columns"}))
                ->capture_default_str()
                ->group("What is shown"));
}

void addColorOptions(CLI::App& command, FigureArguments& arguments) {
  addCommon(arguments, kindsOfHeads,
            addRepeatable(command, "--colormap", arguments.colorMaps,
                          "Colour map; a diverging one is for signed values; repeatable for both"))
      ->type_name("NAME")
      ->group("Colours");
  forEachSetting(viewSettings, [&](const auto& setting) {
    if (*setting.text.flag == '\0') return;
    CLI::Option* option = addSetting(command, setting, arguments.drawn);
    const bool ofPatches = option->check_name("--opacity") || option->check_name("--smooth");
    addCommon(arguments, ofPatches ? kindsOfPatches : kindsOfHeads, option)->group("Colours");
  });
}

void addPictureOptions(CLI::App& command, FigureArguments& arguments) {
  addRepeatable(command, "--size", arguments.sizes,
                "N: the published evaluation's resize and centre crop to N x N. HxW: the whole "
                "picture at that size. full: the picture as it is. Once, or once per -m (then "
                "published, too)")
      ->type_name("SIZE")
      ->group("Picture");
  command
      .add_option("--exif", arguments.applyOrientation,
                  "off: ignore the camera's orientation, as published evaluations do")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, bool>{{"on", true}, {"off", false}}))
      ->type_name("on|off")
      ->group("Picture");
}

}  // namespace

InputOptions FigureArguments::input(std::size_t index) const {
  const std::size_t models = model.checkpoints.size();
  if (sizes.size() > 1 && sizes.size() != models) {
    throw UsageError("--size was given " + std::to_string(sizes.size()) + " times for " +
                     std::to_string(models) + " models; give it once, or once per -m");
  }
  InputOptions options;
  options.applyOrientation = applyOrientation;
  if (!sizes.empty()) options.size = sizes[sizes.size() == 1 ? 0 : index];
  if (options.size == "published") options.size.clear();
  return options;
}

ViewSettings FigureArguments::view() const {
  ViewSettings chosen = drawn;
  for (const std::string& name : colorMaps) {
    const ColorMap& map = colorMap(name);
    (map.diverging ? chosen.divergingColorMap : chosen.colorMap) = map.name;
  }
  return chosen;
}

FigureSettings FigureArguments::figureSettings() const {
  FigureSettings chosen = settings;
  if (theme == "dark" && background->count() == 0) {
    chosen.background = FigureSettings::Background::Dark;
  }
  return chosen;
}

Direction FigureArguments::readDirection() const {
  return direction == "rows" ? Direction::Rows : Direction::Columns;
}

void addFigureOptions(CLI::App& command, FigureArguments& arguments) {
  addOutputOptions(command, arguments);
  addLooksOptions(command, arguments);
  addShownOptions(command, arguments);
  addColorOptions(command, arguments);
  addPictureOptions(command, arguments);
}

void addCompareOptions(CLI::App& command, FigureArguments& arguments) {
  addOwnSettings(command, arguments, "compare", "Compare", comparisonSettings,
                 arguments.comparison);
}

void addOwn(FigureArguments& arguments, const std::vector<std::string>& kinds, CLI::Option* option,
            bool isCommon) {
  // A group of options of one kind is named after it.
  if (kinds.size() > 1) {
    option->description(option->get_description() + " (figure " + listed(kinds) + ")");
  }
  arguments.ownOptions.push_back({option, kinds, isCommon});
}

void checkOwnOptions(const FigureArguments& arguments) {
  for (const auto& [option, kinds, isCommon] : arguments.ownOptions) {
    const bool belongs = std::find(kinds.begin(), kinds.end(), arguments.kind) != kinds.end();
    if (belongs || option->count() == 0) continue;
    const std::string whose = option->get_name() + " belongs to figure " + listed(kinds);
    if (!isCommon) throw UsageError(whose);
    note(whose + "; figure " + arguments.kind + " passes over it");
  }
}

std::vector<MarkedQuery> readQueries(const FigureArguments& arguments,
                                     const AttentionDescription& attention,
                                     const PictureExtent& extent, Direction direction) {
  std::vector<MarkedQuery> queries =
      markedQueries(parseQueries(arguments.queries, attention, extent, direction));
  if (arguments.marks.empty()) return queries;
  if (arguments.marks.size() != queries.size()) {
    throw UsageError("--mark was given " + std::to_string(arguments.marks.size()) + " times for " +
                     std::to_string(queries.size()) + " queries; give it once per query");
  }
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const QString mark = QString::fromStdString(arguments.marks[i]);
    const qsizetype colon = mark.lastIndexOf(u':');
    const QColor color(colon < 0 ? QString() : mark.mid(colon + 1));
    if (!color.isValid()) {
      throw UsageError("--mark is LETTER:COLOUR, for example A:#f0e442, not \"" +
                       arguments.marks[i] + "\"");
    }
    queries[i].letter = mark.left(colon);
    queries[i].color = color;
  }
  return queries;
}

void checkFiles(const FigureArguments& arguments, FigureNumbers numbers) {
  if (!arguments.output.empty()) checkFigurePath(arguments.output);
  const std::string ending = numbers == FigureNumbers::Table ? ".csv" : ".npz";
  if (arguments.data.empty() || std::filesystem::path(arguments.data).extension() == ending) return;
  throw UsageError("figure " + arguments.kind + " writes its numbers as " + ending + ", not " +
                   arguments.data);
}

namespace {

void writePicture(const FigureArguments& arguments, PanelFigure& figure) {
  if (arguments.output.empty()) return;
  figure.settings = arguments.figureSettings();
  saveFigure(
      arguments.output, panelFigureSize(figure), arguments.settings.dpi,
      [&](QPainter& painter, const QRectF& place) { paintPanelFigure(painter, place, figure); });
  std::cout << arguments.output << '\n';
}

}  // namespace

void writeFiles(const FigureArguments& arguments, PanelFigure figure, const Table& table) {
  writePicture(arguments, figure);
  if (arguments.data.empty()) return;
  writeCsv(arguments.data, table);
  std::cout << arguments.data << '\n';
}

void writeFiles(const FigureArguments& arguments, PanelFigure figure, const NamedArrays& arrays) {
  writePicture(arguments, figure);
  if (arguments.data.empty()) return;
  writeNpz(arguments.data, arrays);
  std::cout << arguments.data << '\n';
}

}  // namespace softscope
