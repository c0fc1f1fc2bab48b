#pragma once

#include "core/model/Recorder.h"

#include <torch/types.h>

#include <functional>
#include <string>

namespace softscope {

/// Attention whose matrix is L R^T per head, its rows divided by their sums or not, and the query
/// and key it came from.
struct FactoredAttention {
  torch::Tensor left;   ///< [B, heads, queries, r]
  torch::Tensor right;  ///< [B, heads, keys, r]
  torch::Tensor query;  ///< [B, heads, queries, d]
  torch::Tensor key;    ///< [B, heads, keys, d]
  /// What rows are divided by, of their sums [B, heads, queries, 1]; empty where they are not.
  std::function<torch::Tensor(const torch::Tensor& sums)> divisorOf = {};
};

/// Records the map as a factored one, with rows divided by `divisor` [B, heads, queries, 1], if
/// that is defined, on its left, beside the l1 norms of query and key; nothing without a recorder.
/// `description` says everything but the sizes.
void recordFactors(const FactoredAttention& attention, const torch::Tensor& divisor,
                   const std::string& layer, const AttentionDescription& description,
                   Recorder* recorder);

/// L (R^T V), whose memory grows linearly with the tokens; what is divided is the product, which is
/// smaller than L. Recorded as by recordFactors().
torch::Tensor attendWithFactors(const FactoredAttention& attention, const torch::Tensor& value,
                                const std::string& layer, const AttentionDescription& description,
                                Recorder* recorder);

/// Rows are divided by their sums and `added`.
std::function<torch::Tensor(const torch::Tensor& sums)> sumsAnd(double added);

/// [V 1]: what multiplies it has the sums of its own rows in the last column.
torch::Tensor withOnes(const torch::Tensor& value);

/// What each row of L R^T sums to: [B, heads, queries, 1].
torch::Tensor rowSums(const torch::Tensor& left, const torch::Tensor& right);

}  // namespace softscope
