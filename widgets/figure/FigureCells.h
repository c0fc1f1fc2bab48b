#pragma once

#include "widgets/figure/PanelFigure.h"
#include "widgets/paint/LayerHeadPainter.h"
#include "widgets/plot/Plot.h"

#include <optional>
#include <vector>

namespace softscope {

/// Makes a map of layers x heads a panel of a figure, without a colour bar of its own.
FigureCell layerHeadCell(LayerHeadMap map, const QString& title, const QString& note);

/// Widens `range` to include `value`, unless that is missing or not finite.
void include(std::optional<ValueRange>& range, const std::optional<double>& value);

/// Makes a plot a cell of a figure.
FigureCell plotCell(const Plot& plot);

/// Puts plots under a caption, with one legend for all of them.
PanelFigure plotFigure(const FigureCaption& caption, const std::vector<Plot>& plots);

}  // namespace softscope
