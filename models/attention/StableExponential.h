#pragma once

#include <torch/types.h>

namespace softscope {

/// The range over which the largest exponent is taken: each row of products (Token), or the whole
/// matrix of a head (Head).
enum class LargestOf { Token, Head };

/// Returns Performer's features of projected tokens: (exp(products - halfNorms - largest product) +
/// 1e-4) / sqrt(m), for products [B, heads, n, m] and halfNorms [B, heads, n, 1]. Apart from the
/// result, its gradient needs no tensor of this size.
torch::Tensor stableExponential(const torch::Tensor& products, const torch::Tensor& halfNorms,
                                LargestOf of);

}  // namespace softscope
