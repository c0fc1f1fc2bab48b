#pragma once

#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"

#include <vector>

namespace softscope {

/// Makes a plot a cell of a figure.
FigureCell plotCell(const Plot& plot);

/// Puts plots under a caption, with one legend for all of them.
PanelFigure plotFigure(const FigureCaption& caption, const std::vector<Plot>& plots);

}  // namespace softscope
