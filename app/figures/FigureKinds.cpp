#include "app/figures/FigureKinds.h"

#include "app/arguments/DrawsFigures.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/PlottedFigureCommand.h"
#include "core/analysis/registry/Analyses.h"

#include <string>

namespace softscope {
namespace {

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
constexpr FigureKind kindOf<PageAnalysis>{&PageAnalysis::about,
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
