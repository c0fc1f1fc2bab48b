#pragma once

#include "core/Progress.h"
#include "core/analysis/classmap/ClassMap.h"
#include "core/network/GradientRecorder.h"

#include <torch/types.h>

#include <vector>

namespace softscope {

/// Rolls the product of attention and gradient out over all layers; `gradients` holds ∂y/∂(A V) of
/// each, [heads, n, d'], undefined where y does not depend on it. As published, one row r of R goes
/// through the layers: it starts at the tokens that the answer is read from, with equal weights
/// that sum to one (the rows of the last layer that have a gradient: a class token, or all patches
/// where their mean is classified), becomes r + r E in each layer from the last to the first, and
/// ends on the patches without what it started with. Between different grids, the patches' values
/// are shared out by area. Throws InspectionError if a layer's keys are no patches, or if no layer
/// has a gradient; may throw Cancelled.
ClassMap rollOutClass(const std::vector<GradientRecorder::Layer>& layers,
                      const std::vector<torch::Tensor>& gradients, AttentionEntries entries,
                      const Progress& progress);

}  // namespace softscope
