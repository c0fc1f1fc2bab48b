#pragma once

#include "core/analysis/CostMeasurements.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"

#include <vector>

namespace softscope {

/// Plots time and memory against the quantity that varies, with a curve for each mechanism and its
/// exponents in the legend. If attention was measured with and without its softmax, bars compare
/// the two.
std::vector<Plot> costPlots(const CostMeasurements& measured);

PanelFigure costFigure(const CostMeasurements& measured);

}  // namespace softscope
