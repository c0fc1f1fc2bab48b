#pragma once

#include "core/analysis/LayerOverview.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/paint/LayerHeadPainter.h"

#include <vector>

namespace softscope {

/// Layers x heads of one model, under the range of its own values.
LayerHeadMap overviewMap(const std::vector<LayerOverview>& layers);

/// What the numbers are, with their unit.
QString overviewMeaning(OverviewOf of);

/// A map for each model under one colour scale. Throws InspectionError where no head has a number.
PanelFigure overviewFigure(const std::vector<LayerOverview>& layers, OverviewOf of);

}  // namespace softscope
