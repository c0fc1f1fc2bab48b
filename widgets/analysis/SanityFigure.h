#pragma once

#include "core/analysis/classmap/Sanity.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"

#include <vector>

namespace softscope {

/// Plots the rank correlation of each method's map with the trained network's against the parts
/// that were drawn anew, a plot for each model.
std::vector<Plot> sanityPlots(const std::vector<ModelSanity>& models);

PanelFigure sanityFigure(const std::vector<ModelSanity>& models);

}  // namespace softscope
