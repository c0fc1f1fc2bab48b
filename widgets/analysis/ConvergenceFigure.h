#pragma once

#include "core/analysis/bottleneck/LayerConvergence.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"

#include <vector>

namespace softscope {

/// Three plots against the step k: the residual |B V B - B| / |B| (SOFT, Fig. 4) with the one
/// against the raw A dashed where B is another matrix, the distance to pinv(B), and the reflexive
/// residual. The first step at which a residual is at most 1e-3 is marked.
std::vector<Plot> convergencePlots(const std::vector<LayerConvergence>& layers);

PanelFigure convergenceFigure(const std::vector<LayerConvergence>& layers,
                              const ConvergenceSettings& settings);

}  // namespace softscope
