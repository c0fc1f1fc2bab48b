#pragma once

#include "core/model/Recorder.h"

#include <torch/types.h>

#include <string>

namespace softscope {

/// Attention whose matrix is L R^T per head, and the query and key it came from.
struct FactoredAttention {
  torch::Tensor left;   ///< [B, heads, queries, r]
  torch::Tensor right;  ///< [B, heads, keys, r]
  torch::Tensor query;  ///< [B, heads, queries, d]
  torch::Tensor key;    ///< [B, heads, keys, d]
};

/// L (R^T V), whose memory grows linearly with the tokens; recorded as a factored map beside the l1
/// norms of query and key. `description` says everything but the sizes.
torch::Tensor attendWithFactors(const FactoredAttention& attention, const torch::Tensor& value,
                                const std::string& layer, const AttentionDescription& description,
                                Recorder* recorder);

/// What each row of L R^T sums to: [B, heads, queries, 1].
torch::Tensor rowSums(const torch::Tensor& left, const torch::Tensor& right);

}  // namespace softscope
