#pragma once

#include "core/analysis/LayerOverview.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/paint/LayerHeadPainter.h"

#include <vector>

namespace softscope {

/// Layers x heads of one model, under the range of its own values; entries by powers of ten.
LayerHeadMap overviewMap(const std::vector<LayerOverview>& layers);

/// What the numbers are, with their unit; of entries, how near they come to their bound.
QString overviewMeaning(const std::vector<LayerOverview>& layers, OverviewOf of);

/// One head's number with its unit: `12.4 pixels`, or `−0.0012 to 0.0034, within ±48`.
QString overviewValueText(const LayerOverview& layer, int head, OverviewOf of);

/// A map for each model under one colour scale. Throws InspectionError where no head has a number.
PanelFigure overviewFigure(const std::vector<LayerOverview>& layers, OverviewOf of);

}  // namespace softscope
