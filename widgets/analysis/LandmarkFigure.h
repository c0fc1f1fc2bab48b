#pragma once

#include "core/analysis/bottleneck/LandmarkErrors.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"

#include <vector>

namespace softscope {

/// Returns a plot for each model: the Nystrom form's relative error against the number of landmarks
/// m, with three curves for each choice of landmarks: with the released inverse, with the exact one
/// (dotted), and for the best matrix of that rank (dashed). Each point is the median over the
/// layers and heads that have as many landmarks. Compare Tables 4a and 4b of "SOFT: Softmax-free
/// Transformer with Linear Complexity", 2021, arXiv 2110.11945, which give accuracies.
std::vector<Plot> landmarkPlots(const std::vector<LandmarkError>& errors);

/// `rerun` is true if networks ran with the landmarks that are compared instead of those they were
/// trained with.
PanelFigure landmarkFigure(const std::vector<LandmarkError>& errors, bool rerun);

}  // namespace softscope
