#pragma once

#include "core/analysis/bottleneck/LayerNorms.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"

#include <vector>

namespace softscope {

/// Returns two plots, for the released inverse and for the exact one. At one size they show all
/// four norms head by head; at several, the inverses' norms against m, with the exponents
/// beside the curves, or in the legend, next to the m^2 and m of SOFT++'s Propositions 5 and 6.
std::vector<Plot> normsPlots(const std::vector<LayerNorms>& layers);

/// Returns the caption above the plots: what the norms say in a sentence, and how to read them.
FigureCaption normsCaption(const std::vector<LayerNorms>& layers, const NormsSettings& settings);

PanelFigure normsFigure(const std::vector<LayerNorms>& layers, const NormsSettings& settings);

}  // namespace softscope
