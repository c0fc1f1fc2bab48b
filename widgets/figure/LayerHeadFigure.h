#pragma once

#include "widgets/figure/PanelFigure.h"
#include "widgets/paint/LayerHeadPainter.h"

#include <optional>

namespace softscope {

/// Makes a map of layers x heads a panel of a figure, without a colour bar of its own.
FigureCell layerHeadCell(LayerHeadMap map, const QString& title, const QString& note);

/// Widens `range` to include `value`, unless that is missing or not finite.
void include(std::optional<ValueRange>& range, const std::optional<double>& value);

}  // namespace softscope
