#pragma once

#include <torch/types.h>

namespace softscope {

/// Returns CosFormer's features: relu(x) of [B, heads, n, d] times each of the four weights of its
/// token, weights [n, 4]: [B, heads, n, 4 d].
torch::Tensor cosformerFeatures(const torch::Tensor& x, const torch::Tensor& weights);

/// Returns the divisors of rows from the sums of their features' products, at least 1e-6, so that a
/// query without a positive channel attends to nothing rather than giving 0 / 0.
torch::Tensor cosformerDivisor(const torch::Tensor& rowSums);

/// Returns L (R^T V) with rows divided by their sums, where L holds the features of the queries and
/// R those of the keys: [B, heads, n, d]. Features are four times as large as their input and are
/// needed twice each, so they are computed for a few heads at a time, which stay in the processor's
/// cache, and again for the gradient.
torch::Tensor cosformerProduct(const torch::Tensor& query, const torch::Tensor& key,
                               const torch::Tensor& value, const torch::Tensor& weights);

}  // namespace softscope
