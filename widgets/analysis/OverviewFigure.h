#pragma once

#include "core/analysis/LayerOverview.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/paint/LayerHeadPainter.h"

#include <vector>

namespace softscope {

/// Returns a map of layers x heads of one model. Its range contains the model's own numbers and
/// what uniform attention has, and is at least a tenth of the latter; for entries the colours
/// follow the powers of ten.
LayerHeadMap overviewMap(const std::vector<LayerOverview>& layers, OverviewMeasure of);

/// Returns what the numbers are, with their unit; for entries also how close they come to their
/// bound.
QString overviewMeaning(const std::vector<LayerOverview>& layers, OverviewMeasure of);

/// Returns one head's number with its unit: `12.4 pixels`, or `−0.0012 to 0.0034, within ±48`.
QString overviewValueText(const LayerOverview& layer, int head, OverviewMeasure of);

/// Shows a map for each model under one colour scale. Throws InspectionError if no head has a
/// number.
PanelFigure overviewFigure(const std::vector<LayerOverview>& layers, OverviewMeasure of);

}  // namespace softscope
