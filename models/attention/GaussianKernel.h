#pragma once

#include <torch/types.h>

namespace softscope {

/// exp(-|a - b|^2 / 2) of every row of a with every row of b: [..., n, d], [..., m, d] ->
/// [..., n, m]. Differentiable.
torch::Tensor gaussianKernel(const torch::Tensor& a, const torch::Tensor& b);

}  // namespace softscope
