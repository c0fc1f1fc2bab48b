#pragma once

#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"

#include <vector>

namespace softscope {

/// A plot as a cell of a figure.
FigureCell plotCell(const Plot& plot);

/// Plots under a caption, with one legend for all of them.
PanelFigure plotFigure(const FigureCaption& caption, const std::vector<Plot>& plots);

}  // namespace softscope
