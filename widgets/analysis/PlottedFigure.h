#pragma once

#include "widgets/analysis/HeadCurves.h"
#include "widgets/figure/PlotFigure.h"

namespace softscope {

/// What stands above the plots of an analysis: its layers, and its own caption.
template <typename A>
FigureCaption plottedCaption(const typename A::Results& results,
                             const typename A::Settings& settings) {
  return captionOf(definedLayers(results), A::caption(results, settings));
}

/// The figure of an analysis that is seen in plots, on the page and in a file.
template <typename A>
PanelFigure plottedFigure(const typename A::Results& results,
                          const typename A::Settings& settings) {
  return plotFigure(plottedCaption<A>(results, settings), A::plots(results, settings));
}

}  // namespace softscope
