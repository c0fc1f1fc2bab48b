#pragma once

#include "core/analysis/CostMeasurements.h"
#include "widgets/analysis/HeadCurves.h"
#include "widgets/figure/FigureCells.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/paint/ValueText.h"
#include "widgets/plot/Plot.h"

#include <vector>

namespace softscope {

/// Plots time and memory against the quantity that varies, with a curve for each mechanism and its
/// exponents in the legend. If attention was measured with and without its softmax, bars compare
/// the two.
std::vector<Plot> costPlots(const CostMeasurements& measured);

PanelFigure costFigure(const CostMeasurements& measured);

/// Returns the caption above an analysis's plots: its layers, the analysis's own caption and the
/// layers that are left out.
template <typename A>
FigureCaption plottedCaption(const typename A::Results& results,
                             const typename A::Settings& settings) {
  return captionOf(definedLayers(results),
                   joinedCaption({A::caption(results, settings), leftOutText(results)}));
}

/// Returns the figure of an analysis that is shown as plots, both for its page and for a file.
template <typename A>
PanelFigure plottedFigure(const typename A::Results& results,
                          const typename A::Settings& settings) {
  return plotFigure(plottedCaption<A>(results, settings), A::plots(results, settings));
}

}  // namespace softscope
