#pragma once

#include "core/analysis/bottleneck/LayerNorms.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"

#include <vector>

namespace softscope {

/// Two plots, of the released inverse and of the exact one: all four norms head by head at one
/// size; with several, the inverses' against m, with the exponents in the legend beside the m^2 and
/// m of SOFT++'s Propositions 5 and 6.
std::vector<Plot> normsPlots(const std::vector<LayerNorms>& layers);

PanelFigure normsFigure(const std::vector<LayerNorms>& layers, const NormsSettings& settings);

}  // namespace softscope
