#pragma once

#include "core/model/Recorder.h"

#include <torch/types.h>

#include <string>

namespace softscope {

/// Linear attention with ReLU features, as in EfficientViT ("EfficientViT: Multi-Scale Linear
/// Attention for High-Resolution Dense Prediction", 2022, arXiv 2205.14756): A V with A_ij =
/// relu(q_i) relu(k_j)^T / (sum_l relu(q_i) relu(k_l)^T + epsilon). A row sums to one, or to zero
/// if the token's query has no positive channel in common with any key. Query, key and value are
/// [B, heads, n, d]. This function sets the description's mechanism.
torch::Tensor reluLinearAttention(const torch::Tensor& query, const torch::Tensor& key,
                                  const torch::Tensor& value, double epsilon,
                                  const std::string& layer, AttentionDescription description,
                                  Recorder* recorder);

}  // namespace softscope
