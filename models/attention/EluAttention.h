#pragma once

#include "core/model/Recorder.h"

#include <torch/types.h>

#include <string>

namespace softscope {

/// Linear attention with elu(x) + 1 for features ("Transformers are RNNs: Fast Autoregressive
/// Transformers with Linear Attention", 2020, arXiv 2006.16236), as SimA's authors compare with it:
/// q^ k^^T V with q^ = (elu(q) + 1) n^(-1/4) and k^ likewise, n the number of tokens; rows are not
/// normalised. Query, key and value are [B, heads, n, d]. The description's mechanism is set here.
torch::Tensor eluAttention(const torch::Tensor& query, const torch::Tensor& key,
                           const torch::Tensor& value, const std::string& layer,
                           AttentionDescription description, Recorder* recorder);

/// The bias, below 0, of queries and keys of `width` channels with which those near it have rows
/// that sum to one over `tokens` tokens. Near 0 they sum to sqrt(tokens) width.
double eluBiasOfUnitRows(double tokens, double width);

}  // namespace softscope
