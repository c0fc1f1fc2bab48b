#pragma once

#include "core/analysis/CostMeasurements.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"

#include <vector>

namespace softscope {

/// Time and memory against what is varied, a curve for each mechanism, exponents beside the
/// legend's names; and bars of attention with and without its softmax, where these were measured.
std::vector<Plot> costPlots(const CostMeasurements& measured);

PanelFigure costFigure(const CostMeasurements& measured);

}  // namespace softscope
