#pragma once

#include "widgets/figure/PanelFigure.h"
#include "widgets/paint/LayerHeadPainter.h"

#include <optional>

namespace softscope {

/// A map of layers x heads as a panel of a figure, without a colour bar of its own.
FigureCell layerHeadCell(LayerHeadMap map, const QString& title, const QString& note);

/// Widens `range` to `value`, unless that is missing or not finite.
void include(std::optional<ValueRange>& range, const std::optional<double>& value);

}  // namespace softscope
