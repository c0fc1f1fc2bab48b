#pragma once

#include "core/attention/TokenGrid.h"
#include "core/network/Recorder.h"

#include <torch/types.h>

#include <string>

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

/// CosFormer ("cosFormer: Rethinking Softmax in Attention", 2022, arXiv 2202.08791), extended to
/// grids of H x W tokens as in appendix A.4 of "SimA: Simple Softmax-free Attention for Vision
/// Transformers", 2022, arXiv 2206.08898:
///   S_ij = relu(q_i) . relu(k_j) cos(pi/2 (x_i - x_j)/W) cos(pi/2 (y_i - y_j)/H),
/// rows divided by their sums, at least 1e-6. Expanding both cosines of differences leaves four
/// products of features. Query, key and value are [B, heads, H W, d]. The description's mechanism
/// is set here.
torch::Tensor cosformerAttention(const torch::Tensor& query, const torch::Tensor& key,
                                 const torch::Tensor& value, const TokenGrid& grid,
                                 const std::string& layer, AttentionDescription description,
                                 Recorder* recorder);

/// CosFormer without its re-weighting, as Table 2 of the same paper compares it:
///   S_ij = relu(q_i) . relu(k_j),
/// rows divided by their sums, at least 1e-6. Query, key and value are [B, heads, n, d]. The
/// description's mechanism is set here.
torch::Tensor plainCosformerAttention(const torch::Tensor& query, const torch::Tensor& key,
                                      const torch::Tensor& value, const std::string& layer,
                                      AttentionDescription description, Recorder* recorder);

}  // namespace softscope
