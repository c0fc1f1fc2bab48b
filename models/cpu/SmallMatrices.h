#pragma once

#include <torch/types.h>

namespace softscope {

/// Steps V <- 2V - V A V of every matrix A of [..., m, m] from V = start A, start [..., 1, 1], on
/// the CPU; for small ones, of which a library call for each product costs as much as the product
/// or several times that. Differentiable in both, with the exact gradient where A is symmetric, as
/// a bottleneck matrix is.
torch::Tensor newtonRaphsonSteps(const torch::Tensor& start, const torch::Tensor& matrix,
                                 int steps);

}  // namespace softscope
