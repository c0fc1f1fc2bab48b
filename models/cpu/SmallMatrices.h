#pragma once

#include <torch/types.h>

namespace softscope {

/// Steps V <- 2V - V A V of every matrix of [..., m, m] from `start`, on the CPU; for small ones,
/// of which a library call for each product costs as much as the product or several times that.
/// Differentiable in both, with the exact gradient where both are symmetric, as a bottleneck matrix
/// and its multiple are.
torch::Tensor newtonRaphsonSteps(const torch::Tensor& start, const torch::Tensor& matrix,
                                 int steps);

}  // namespace softscope
