#pragma once

#include <torch/types.h>

namespace softscope {

/// Returns L (R^T V) with rows divided by their sums, where L holds the features of the queries and
/// R those of the keys: [B, heads, n, d]. Features are four times as large as their input and are
/// needed twice each, so they are computed for a few heads at a time, which stay in the processor's
/// cache, and again for the gradient.
torch::Tensor cosformerProduct(const torch::Tensor& query, const torch::Tensor& key,
                               const torch::Tensor& value, const torch::Tensor& weights);

}  // namespace softscope
