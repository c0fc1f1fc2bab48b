#pragma once

#include "core/network/Recorder.h"

#include <torch/types.h>

#include <string>

namespace softscope {

/// Linear attention with elu(x) + 1 as features ("Transformers are RNNs: Fast Autoregressive
/// Transformers with Linear Attention", 2020, arXiv 2006.16236), in the form that SimA's authors
/// compare with: q^ k^^T V with q^ = (elu(q) + 1) n^(-1/4) and k^ likewise, where n is the number
/// of tokens; rows are not normalised. Query, key and value are [B, heads, n, d]. Sets the
/// description's mechanism.
torch::Tensor eluAttention(const torch::Tensor& query, const torch::Tensor& key,
                           const torch::Tensor& value, const std::string& layer,
                           AttentionDescription description, Recorder* recorder);

}  // namespace softscope
