#pragma once

#include "core/Progress.h"
#include "core/analysis/reach/Reach.h"
#include "core/network/Network.h"

#include <torch/types.h>

#include <vector>

namespace softscope {

/// Runs the network on a picture [1, channels, H, W], whose element type is that of the parameters,
/// and differentiates the tokens that the request names with respect to the picture. Returns an
/// entry for each layer; one that has no such token says why. Throws MemoryError and Cancelled.
std::vector<Reach> reachOf(Network& network, const torch::Tensor& picture,
                           const ReachRequest& request, const Progress& progress = {});

}  // namespace softscope
