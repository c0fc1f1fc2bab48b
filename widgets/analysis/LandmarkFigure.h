#pragma once

#include "core/analysis/bottleneck/LandmarkErrors.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"

#include <vector>

namespace softscope {

/// A plot for each model: the Nystrom form's relative error against the number of landmarks m, a
/// curve for each choice of landmarks and a dashed one for the best matrix of that rank. Each point
/// is the median over the layers and heads that have as many landmarks (compare Tables 4a and 4b of
/// "SOFT: Softmax-free Transformer with Linear Complexity", 2021, arXiv 2110.11945, which are of
/// accuracy).
std::vector<Plot> landmarkPlots(const std::vector<LandmarkError>& errors);

PanelFigure landmarkFigure(const std::vector<LandmarkError>& errors);

}  // namespace softscope
