#pragma once

#include "widgets/analysis/HeadCurves.h"
#include "widgets/figure/PlotFigure.h"

namespace softscope {

/// Returns the caption above an analysis' plots: its layers and the analysis' own caption.
template <typename A>
FigureCaption plottedCaption(const typename A::Results& results,
                             const typename A::Settings& settings) {
  return captionOf(definedLayers(results), A::caption(results, settings));
}

/// Returns the figure of an analysis that is shown as plots, both for its page and for a file.
template <typename A>
PanelFigure plottedFigure(const typename A::Results& results,
                          const typename A::Settings& settings) {
  return plotFigure(plottedCaption<A>(results, settings), A::plots(results, settings));
}

}  // namespace softscope
