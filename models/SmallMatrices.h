#pragma once

#include <torch/types.h>

namespace softscope {

// Iterations on many small matrices, [..., m, m], for training on the CPU: a library call for each
// product of 16 x 16 costs several times the product.

/// Steps V <- 2V - V A V of every matrix from `start`. Both must be symmetric, as a bottleneck
/// matrix and its multiple are; then so is every V, and the gradient is exact. Differentiable in
/// both.
torch::Tensor newtonRaphsonSteps(const torch::Tensor& start, const torch::Tensor& matrix,
                                 int steps);

}  // namespace softscope
