#pragma once

#include "core/analysis/bottleneck/LandmarkErrors.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"

#include <vector>

namespace softscope {

/// A plot for each model: the Nystrom form's relative error against the number of landmarks m,
/// three curves for each choice of landmarks: with the released inverse, dotted with the exact one,
/// and dashed the best matrix of that rank. Each point is the median over the layers and heads that
/// have as many landmarks (compare Tables 4a and 4b of "SOFT: Softmax-free Transformer with Linear
/// Complexity", 2021, arXiv 2110.11945, which are of accuracy).
std::vector<Plot> landmarkPlots(const std::vector<LandmarkError>& errors);

/// `rerun`: networks ran with the landmarks that are compared, not as they were trained.
PanelFigure landmarkFigure(const std::vector<LandmarkError>& errors, bool rerun);

}  // namespace softscope
