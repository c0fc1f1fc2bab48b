#include "app/arguments/DrawingArguments.h"

#include "app/arguments/RepeatableOption.h"
#include "app/arguments/UsageError.h"
#include "core/image/ColorMap.h"
#include "core/interactive/InteractiveFile.h"
#include "core/text/Words.h"
#include "widgets/figure/FigureFile.h"
#include "widgets/figure/SweepFile.h"

#include <QtGui/QColor>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

/// Shows the default of a number in --help; 0 columns is described in words.
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

/// Returns a function that tells whether a kind is among `kinds`.
auto isIn(std::vector<std::string> kinds) {
  return [kinds = std::move(kinds)](const std::string& kind) {
    return std::ranges::find(kinds, kind) != kinds.end();
  };
}

std::string colorMapsThatAre(bool diverging) {
  std::vector<std::string> names = colorMapNames();
  std::erase_if(names,
                [&](const std::string& name) { return colorMap(name).diverging != diverging; });
  return listedWithOr(names);
}

}  // namespace

void addLooksOptions(CLI::App& command, FigureArguments& arguments) {
  // Nearly all kinds take these, so that their descriptions do not list them.
  const auto addOfPictures = [&](CLI::Option* option) {
    std::vector<std::string> kinds = analysesThat(&AnalysisDescription::isPicture);
    // The width of frames in pixels is an option of its own.
    if (option->check_name("--dpi")) {
      std::erase_if(kinds, isIn(analysesThat(&AnalysisDescription::isMotion)));
    }
    if (option->check_name("--no-color-bars")) {
      kinds = analysesThat(&AnalysisDescription::isPicture, &AnalysisDescription::hasColorBars);
    }
    arguments.ownOptions.push_back({option, kinds, true});
    return option;
  };
  forEachSetting(figureSettings, [&](const auto& setting) {
    CLI::Option* option = addOfPictures(addSetting(command, setting, arguments.settings));
    captureDefault(setting, arguments.settings, option);
    option->group(option->check_name("--dpi") ? "Output" : "Looks");
    if (option->check_name("--background")) arguments.background = option;
  });
  addOfPictures(command.add_option("--theme", arguments.theme,
                                   "light: --background white; dark: --background dark"))
      ->type_name("light|dark")
      ->check(CLI::IsMember({"light", "dark"}))
      ->capture_default_str()
      ->group("Looks");
}

void addColorOptions(CLI::App& command, FigureArguments& arguments) {
  addCommon(arguments, analysesThat(&AnalysisDescription::colorsHeads),
            addRepeatable(command, "--colormap", arguments.colorMaps,
                          "Colour map: " + colorMapsThatAre(false) + "; for signed values " +
                              colorMapsThatAre(true) + "; repeatable for both"))
      ->type_name("NAME")
      ->group("Colours");
  forEachSetting(viewSettings, [&](const auto& setting) {
    if (*setting.text.flag == '\0') return;
    CLI::Option* option = addSetting(command, setting, arguments.drawn);
    const bool ofPatches = option->check_name("--opacity") || option->check_name("--smooth") ||
                           option->check_name("--fade");
    addCommon(arguments,
              ofPatches ? analysesThat(&AnalysisDescription::liesOnPatches)
                        : analysesThat(&AnalysisDescription::colorsHeads),
              option)
        ->group("Colours");
  });
}

void addMarkOption(CLI::App& command, FigureArguments& arguments) {
  addCommon(arguments,
            analysesThat(&AnalysisDescription::asksQueries, &AnalysisDescription::isPicture),
            addRepeatable(
                command, "--mark", arguments.marks,
                "A query's letter and colour, once per query (default: A, B, ... where several)")
                ->type_name("LETTER:COLOUR")
                ->group("What is shown"));
}

std::vector<ChosenMark> chosenMarks(const FigureArguments& arguments) {
  std::vector<ChosenMark> marks;
  for (const std::string& text : arguments.marks) {
    const std::size_t colon = text.rfind(':');
    const std::string color = colon == std::string::npos ? "" : text.substr(colon + 1);
    if (!QColor(QString::fromStdString(color)).isValid()) {
      throw UsageError("--mark is LETTER:COLOUR, for example A:#f0e442, not \"" + text + "\"");
    }
    marks.push_back({text.substr(0, colon), color});
  }
  return marks;
}

void checkDrawing(const FigureArguments& arguments) {
  chosenMarks(arguments);
  const auto is = [&](auto trait) { return isIn(analysesThat(trait))(arguments.kind); };
  if (!arguments.output.empty()) {
    if (is(&AnalysisDescription::isMotion)) {
      asUsage([&] { checkSweepEnding(arguments.output, figureSettingsOf(arguments)); });
      checkSweepPath(arguments.output, figureSettingsOf(arguments));
    } else if (is(&AnalysisDescription::isPicture)) {
      asUsage([&] { checkFigurePath(arguments.output); });
    } else {
      asUsage([&] { checkInteractivePath(arguments.output); });
    }
  }
  if (is(&AnalysisDescription::colorsHeads)) asUsage([&] { return viewOf(arguments); });
}

ViewSettings viewOf(const FigureArguments& arguments) {
  ViewSettings chosen = arguments.drawn;
  std::vector<std::string> given;
  for (const std::string& name : arguments.colorMaps) {
    const ColorMap& map = colorMap(name);
    const auto same = std::ranges::find(given, map.diverging, [](const std::string& earlier) {
      return colorMap(earlier).diverging;
    });
    if (same != given.end() && *same != name) {
      throw UsageError("--colormap " + *same + " and --colormap " + name + " are both for " +
                       (map.diverging ? "signed values" : "values of one sign") +
                       "; give one of them");
    }
    given.push_back(name);
    (map.diverging ? chosen.divergingColorMap : chosen.colorMap) = map.name;
  }
  return chosen;
}

FigureSettings figureSettingsOf(const FigureArguments& arguments) {
  FigureSettings chosen = arguments.settings;
  if (arguments.theme == "dark" && arguments.background->count() == 0) {
    chosen.background = FigureSettings::Background::Dark;
  }
  return chosen;
}

}  // namespace softscope
