#pragma once

#include <torch/types.h>

namespace softscope {

/// Returns exp(-|a - b|^2 / 2) for every row of a with every row of b, Eq. 5 of "SOFT: Softmax-free
/// Transformer with Linear Complexity", 2021, arXiv 2110.11945: [..., n, d], [..., m, d] -> [...,
/// n, m]. Differentiable.
torch::Tensor gaussianKernel(const torch::Tensor& a, const torch::Tensor& b);

}  // namespace softscope
