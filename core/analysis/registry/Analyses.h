#pragma once

#include "core/analysis/CostAnalysis.h"
#include "core/analysis/MatrixAnalysis.h"
#include "core/analysis/OverviewAnalysis.h"
#include "core/analysis/SaliencyAnalysis.h"
#include "core/analysis/ShareAnalysis.h"
#include "core/analysis/bottleneck/BottleneckAnalysis.h"
#include "core/analysis/bottleneck/ConvergenceAnalysis.h"
#include "core/analysis/bottleneck/NormsAnalysis.h"
#include "core/analysis/cka/CkaAnalysis.h"
#include "core/analysis/classmap/ClassAnalysis.h"
#include "core/analysis/classmap/Sanity.h"
#include "core/analysis/deletion/DeletionAnalysis.h"
#include "core/analysis/reach/ReachAnalysis.h"
#include "core/analysis/rollout/RolloutAnalysis.h"
#include "core/analysis/sinks/SinksAnalysis.h"
#include "core/analysis/spectrum/SpectrumAnalysis.h"
#include "core/analysis/tokens/TokensAnalysis.h"
#include "core/query/HeadsAnalysis.h"
#include "core/query/SweepAnalysis.h"
#include "core/survey/reading/SurveyAnalysis.h"

#include <string>
#include <vector>

namespace softscope {

template <typename... Each>
struct AnalysisList {};

/// Every analysis, in the order of tabs and of `softscope figure --help`.
using Analyses = AnalysisList<HeadsAnalysis, InteractiveAnalysis, SweepAnalysis, CompareAnalysis,
                              OverviewAnalysis, SaliencyAnalysis, RolloutAnalysis, ReachAnalysis,
                              ClassAnalysis, TokensAnalysis, MatrixAnalysis, SpectrumAnalysis,
                              SinksAnalysis, BottleneckAnalysis, ConvergenceAnalysis, NormsAnalysis,
                              ShareAnalysis, DeletionAnalysis, SanityAnalysis, CkaAnalysis,
                              CostAnalysis, SurveyAnalysis, SeriesAnalysis>;

/// An analysis with settings of its own.
template <typename A>
concept HasSettings = requires {
  typename A::Settings;
};

/// An analysis of layers that is shown in plots; one page and one command serve all of these.
template <typename A>
concept PlottedAnalysis = requires {
  &A::plots;
};

/// Calls `visit.operator()<A>()` for every analysis of the list.
template <typename Visit, typename... Each>
void forEachAnalysis(AnalysisList<Each...>, Visit&& visit) {
  (visit.template operator()<Each>(), ...);
}

/// Returns the names of the analyses whose description sets all of `traits`, such as
/// &AnalysisDescription::asksQueries.
template <typename... Traits>
std::vector<std::string> analysesThat(Traits... traits) {
  std::vector<std::string> names;
  forEachAnalysis(Analyses(), [&]<typename A>() {
    if (((A::about.*traits) && ...)) names.emplace_back(A::about.name);
  });
  return names;
}

}  // namespace softscope
