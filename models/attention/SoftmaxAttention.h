#pragma once

#include "core/network/Recorder.h"

#include <string>

namespace softscope {

/// Computes softmax(scale * q k^T) v of [B, heads, n, d], and records it as a kernel map.
/// `description` holds everything but the sizes. May throw Cancelled.
torch::Tensor softmaxAttention(const torch::Tensor& query, const torch::Tensor& key,
                               const torch::Tensor& value, double scale, const std::string& layer,
                               const AttentionDescription& description, Recorder* recorder);

/// Returns 1 / sqrt(d), the usual scale of products of query [B, heads, n, d] and key.
double inverseRootOfWidth(const torch::Tensor& query);

}  // namespace softscope
