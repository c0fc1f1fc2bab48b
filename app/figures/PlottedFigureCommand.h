#pragma once

#include "app/arguments/Interruption.h"
#include "app/arguments/Note.h"
#include "app/arguments/ProgressLine.h"
#include "app/arguments/UsageError.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"

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
  Progress progress([&](double, const std::string& what) { line.show(what); });
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

}  // namespace softscope
