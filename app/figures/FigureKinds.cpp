#include "app/figures/FigureKinds.h"

#include "app/arguments/CommandProgress.h"
#include "app/arguments/DrawsFigures.h"
#include "app/arguments/Note.h"
#include "app/arguments/UsageError.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/PassedOverChoices.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"
#include "core/Error.h"
#include "core/analysis/Explanation.h"
#include "core/analysis/registry/Analyses.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>

namespace softscope {

/// Runs `softscope figure NAME` for an analysis that is shown in plots: computes it for the
/// requested layers, draws its figure and writes its table. Returns the exit code.
template <typename A>
int writePlottedFigure(const FigureArguments& arguments) {
  checkFiles(arguments, FigureNumbers::Table);
  const auto& settings = arguments.analysis.of<typename A::Settings>();
  const ShownMap map = arguments.shown.map;
  if constexpr (requires { A::mapObstacle(settings); }) {
    const std::string obstacle = A::mapObstacle(settings);
    if (!obstacle.empty() && map != ShownMap::Attention) {
      throw UsageError("--map names another matrix; leave it out: " + obstacle);
    }
  }
  const AnalysedModels models = inspectModels(arguments);
  const AnalysisInput input{A::about.showsLayers ? analysedLayersOrAll(arguments, models)
                                                 : analysedLayers(arguments, models),
                            map};
  ProgressLine line;
  Progress progress = stepsOn(line);
  const Interruption interruption(progress);
  const auto results = A::compute(input, settings, progress);
  line.clear();
  checkObstacles(results);
  if constexpr (drawsFigures) drawPlotted<A>(arguments, results);
  writeNumbers(arguments, A::table(results));
  if constexpr (requires { A::note(results); }) {
    const std::string text = A::note(results);
    if (!text.empty()) noteOnResult(text);
  }
  return 0;
}

namespace {

constexpr int helpWidth = 100;

/// Returns the kind of that name; null if there is none.
const FigureKind* kindNamed(const std::string& name) {
  const auto found = std::find_if(figureKinds().begin(), figureKinds().end(),
                                  [&](const FigureKind& kind) { return kind.about->name == name; });
  return found == figureKinds().end() ? nullptr : &*found;
}

std::string aboutKind(const FigureKind& kind) {
  try {
    return explanationText(explanationOf(kind.about->name), helpWidth);
  } catch (const FileError&) {
    // The program is not fully installed; its options are still worth reading.
    return kind.about->summary;
  }
}

/// Returns the examples of one kind, with their continuation lines, from the end of the help.
std::string examplesOf(const FigureKind& kind, const std::string& footer) {
  std::istringstream lines(footer);
  std::string examples;
  bool isOfKind = false;
  for (std::string line; std::getline(lines, line);) {
    const bool begins = line.starts_with("  softscope figure ");
    if (begins)
      isOfKind = line.starts_with("  softscope figure " + std::string(kind.about->name) + " ");
    if (isOfKind) examples += line + '\n';
  }
  return examples.empty() ? examples : "\nExamples:\n" + examples;
}

/// Removes `(figure heads, compare and matrix)`, which says nothing in the help of a single kind.
std::string withoutKinds(const std::string& description) {
  const std::size_t from = description.rfind(" (figure ");
  const bool ends = from != std::string::npos && description.ends_with(")");
  return ends ? description.substr(0, from) : description;
}

class KindFormatter : public CLI::Formatter {
 public:
  KindFormatter(CLI::App& command, const FigureArguments& arguments)
      : command_(command), arguments_(arguments) {}

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    const auto named = app->get_option("KIND")->results();
    const FigureKind* kind = named.empty() ? nullptr : kindNamed(named.front());
    if (!kind) return Formatter::make_help(app, std::move(name), mode);
    hideOthers(*kind);
    std::string text = aboutKind(*kind) + "\n\nUsage: softscope figure " + kind->about->name;
    text += " " + std::string(kind->about->usage) + "\n";
    return text + make_groups(app, mode) + examplesOf(*kind, app->get_footer());
  }

 private:
  /// Hides options by removing them from their group. Nothing is parsed after this.
  void hideOthers(const FigureKind& kind) const {
    for (const OwnOption& own : arguments_.ownOptions) {
      CLI::Option* option = command_.get_option(own.option->get_name());
      const bool belongs =
          std::find(own.kinds.begin(), own.kinds.end(), kind.about->name) != own.kinds.end();
      if (!belongs) option->group("");
      option->description(withoutKinds(option->get_description()));
    }
    for (CLI::Option* option : command_.get_options()) {
      if (isOfOtherKinds(*option, *kind.about)) option->group("");
    }
  }

  CLI::App& command_;
  const FigureArguments& arguments_;
};

/// Adds an option for each setting that has a flag.
template <typename A>
void addSettingOptions(CLI::App& command, FigureArguments& arguments) {
  std::string group = A::about.title;
  std::erase(group, '&');
  addOwnSettings(command, arguments, A::about.name, group, A::settingList,
                 arguments.analysis.of<typename A::Settings>());
}

/// The command of an analysis. Special commands are named here; the others share one.
template <typename A>
constexpr FigureKind kindOf{&A::about, writePlottedFigure<A>, addSettingOptions<A>};
template <>
constexpr FigureKind kindOf<HeadsAnalysis>{&HeadsAnalysis::about, writeHeadsFigure, nullptr};
template <>
constexpr FigureKind kindOf<InteractiveAnalysis>{&InteractiveAnalysis::about,
                                                 drawsFigures ? writePageFigure : nullptr, nullptr};
template <>
constexpr FigureKind kindOf<SweepAnalysis>{
    &SweepAnalysis::about, drawsFigures ? writeSweepFigure : nullptr, addSweepOptions};
template <>
constexpr FigureKind kindOf<CompareAnalysis>{&CompareAnalysis::about, writeCompareFigure,
                                             addCompareOptions};
template <>
constexpr FigureKind kindOf<OverviewAnalysis>{&OverviewAnalysis::about, writeOverviewFigure,
                                              addOverviewOptions};
template <>
constexpr FigureKind kindOf<SaliencyAnalysis>{&SaliencyAnalysis::about, writeSaliencyFigure,
                                              addSettingOptions<SaliencyAnalysis>};
template <>
constexpr FigureKind kindOf<RolloutAnalysis>{&RolloutAnalysis::about, writeRolloutFigure,
                                             addSettingOptions<RolloutAnalysis>};
template <>
constexpr FigureKind kindOf<ReachAnalysis>{&ReachAnalysis::about, writeReachFigure,
                                           addSettingOptions<ReachAnalysis>};
template <>
constexpr FigureKind kindOf<ClassAnalysis>{&ClassAnalysis::about, writeClassFigure,
                                           addClassOptions};
template <>
constexpr FigureKind kindOf<TokensAnalysis>{&TokensAnalysis::about, writeTokensFigure,
                                            addTokensOptions};
template <>
constexpr FigureKind kindOf<MatrixAnalysis>{&MatrixAnalysis::about, writeMatrixFigure,
                                            addMatrixOptions};
template <>
constexpr FigureKind kindOf<BottleneckAnalysis>{&BottleneckAnalysis::about, writeBottleneckFigure,
                                                addBottleneckOptions};
template <>
constexpr FigureKind kindOf<NormsAnalysis>{&NormsAnalysis::about, writeNormsFigure,
                                           addNormsOptions};
template <>
constexpr FigureKind kindOf<ShareAnalysis>{&ShareAnalysis::about, writeShareFigure,
                                           addSettingOptions<ShareAnalysis>};
template <>
constexpr FigureKind kindOf<DeletionAnalysis>{&DeletionAnalysis::about, writeDeletionFigure,
                                              addDeletionOptions};
template <>
constexpr FigureKind kindOf<SanityAnalysis>{&SanityAnalysis::about, writeSanityFigure, nullptr};
template <>
constexpr FigureKind kindOf<CostAnalysis>{&CostAnalysis::about, writeCostFigure, addCostOptions};
template <>
constexpr FigureKind kindOf<CkaAnalysis>{&CkaAnalysis::about, writeCkaFigure,
                                         addSettingOptions<CkaAnalysis>};
// It decodes many pictures itself, and opens many checkpoints.
#if defined(SOFTSCOPE_HAS_IMAGE) && defined(SOFTSCOPE_HAS_CHECKPOINTS)
template <>
constexpr FigureKind kindOf<SeriesAnalysis>{&SeriesAnalysis::about, writeSeriesFigure, nullptr};
#else
template <>
constexpr FigureKind kindOf<SeriesAnalysis>{&SeriesAnalysis::about, nullptr, nullptr};
#endif
template <>
constexpr FigureKind kindOf<SurveyAnalysis>{&SurveyAnalysis::about, writeSurveyFigure,
                                            addSurveyOptions};

}  // namespace

void explainKinds(CLI::App& command, const FigureArguments& arguments) {
  command.formatter(std::make_shared<KindFormatter>(command, arguments));
}

const std::vector<FigureKind>& figureKinds() {
  static const std::vector<FigureKind> kinds = [] {
    std::vector<FigureKind> all;
    forEachAnalysis(Analyses(), [&]<typename A>() {
      if (kindOf<A>.write != nullptr) all.push_back(kindOf<A>);
    });
    return all;
  }();
  return kinds;
}

}  // namespace softscope
