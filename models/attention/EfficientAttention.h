#pragma once

#include "core/network/Recorder.h"

#include <torch/types.h>

#include <string>

namespace softscope {

/// Efficient attention ("Efficient Attention: Attention with Linear Complexities", 2018, arXiv
/// 1812.01243): a softmax over the d channels of each query times a softmax over the n tokens of
/// each key channel, so that rows sum to one. Query, key and value are [B, heads, n, d]. This
/// function sets the description's mechanism.
torch::Tensor efficientAttention(const torch::Tensor& query, const torch::Tensor& key,
                                 const torch::Tensor& value, const std::string& layer,
                                 AttentionDescription description, Recorder* recorder);

}  // namespace softscope
