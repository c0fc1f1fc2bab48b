#pragma once

#include <torch/types.h>

namespace softscope {

/// CosFormer's features: relu(x) of [B, heads, n, d] times each of four weights of its token,
/// weights [n, 4]: [B, heads, n, 4 d].
torch::Tensor cosformerFeatures(const torch::Tensor& x, const torch::Tensor& weights);

/// What the features' products sum to in a row, at least 1e-6, so that a query without a positive
/// channel attends to nothing, rather than to 0 / 0.
torch::Tensor cosformerDivisor(const torch::Tensor& rowSums);

/// L (R^T V) with the features L of the queries and R of the keys, rows divided by their sums:
/// [B, heads, n, d]. Features are four times as large as what they are made of and are needed twice
/// each, so they are made for a few heads at a time, which stay in the processor's cache, and made
/// again for the gradient.
torch::Tensor cosformerProduct(const torch::Tensor& query, const torch::Tensor& key,
                               const torch::Tensor& value, const torch::Tensor& weights);

}  // namespace softscope
