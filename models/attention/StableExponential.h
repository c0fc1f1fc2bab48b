#pragma once

#include <torch/types.h>

namespace softscope {

/// What the largest exponent is taken of: each row of products, or the whole matrix of a head.
enum class LargestOf { Token, Head };

/// Performer's features of projected tokens: (exp(products - halfNorms - largest product) + 1e-4) /
/// sqrt(m) of products [B, heads, n, m] and halfNorms [B, heads, n, 1]. Its gradient needs nothing
/// of their size but the result.
torch::Tensor stableExponential(const torch::Tensor& products, const torch::Tensor& halfNorms,
                                LargestOf of);

}  // namespace softscope
