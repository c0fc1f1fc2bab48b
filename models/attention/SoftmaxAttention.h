#pragma once

#include "core/model/Recorder.h"
#include "models/layers/Layers.h"

#include <string>

namespace softscope {

/// softmax(scale * q k^T) v of [B, heads, n, d], recorded as a kernel map. `description` says
/// everything but the sizes. May throw Cancelled.
torch::Tensor softmaxAttention(const torch::Tensor& query, const torch::Tensor& key,
                               const torch::Tensor& value, double scale, const std::string& layer,
                               const AttentionDescription& description, Recorder* recorder);

/// 1 / sqrt(d), by which products of query [B, heads, n, d] and key are usually multiplied.
double inverseRootOfWidth(const torch::Tensor& query);

}  // namespace softscope
