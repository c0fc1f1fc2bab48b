#pragma once

#include "core/model/Recorder.h"

#include <torch/types.h>

#include <string>

namespace softscope {

/// Attention whose matrix is L R^T per head, its rows divided by something or not, and the query
/// and key it came from.
struct FactoredAttention {
  torch::Tensor left;          ///< [B, heads, queries, r]
  torch::Tensor right;         ///< [B, heads, keys, r]
  torch::Tensor query;         ///< [B, heads, queries, d]
  torch::Tensor key;           ///< [B, heads, keys, d]
  torch::Tensor divisor = {};  ///< of each row: [B, heads, queries, 1], undefined for 1
};

/// Records the map as a factored one, with divided rows on its left, beside the l1 norms of query
/// and key; nothing without a recorder. `description` says everything but the sizes.
void recordFactors(const FactoredAttention& attention, const std::string& layer,
                   const AttentionDescription& description, Recorder* recorder);

/// L (R^T V), whose memory grows linearly with the tokens; what is divided is the product, which is
/// smaller than L. Recorded as by recordFactors().
torch::Tensor attendWithFactors(const FactoredAttention& attention, const torch::Tensor& value,
                                const std::string& layer, const AttentionDescription& description,
                                Recorder* recorder);

/// What each row of L R^T sums to: [B, heads, queries, 1].
torch::Tensor rowSums(const torch::Tensor& left, const torch::Tensor& right);

}  // namespace softscope
