#pragma once

#include "core/network/Recorder.h"

#include <torch/types.h>

#include <functional>
#include <string>

namespace softscope {

/// Attention with the matrix L R^T per head, whose rows may be divided by their sums, and the query
/// and key that it was computed from.
struct FactoredAttention {
  torch::Tensor left;   ///< [B, heads, queries, r]
  torch::Tensor right;  ///< [B, heads, keys, r]
  torch::Tensor query;  ///< [B, heads, queries, d]
  torch::Tensor key;    ///< [B, heads, keys, d]
  /// Returns the divisors of rows from their sums [B, heads, queries, 1]; empty if rows are not
  /// divided.
  std::function<torch::Tensor(const torch::Tensor& sums)> divisorOf = {};
};

/// Records a factored map and the l1 norms of query and key. If `divisor` [B, heads, queries, 1] is
/// defined, the rows of the left factor are divided by it. Does nothing without a recorder.
/// `description` holds everything but the sizes.
void recordFactors(const FactoredAttention& attention, const torch::Tensor& divisor,
                   const torch::Tensor& value, const std::string& layer,
                   const AttentionDescription& description, Recorder* recorder);

/// Computes L (R^T V), whose memory grows linearly with the tokens. The rows of the product, which
/// is smaller than L, are divided instead of those of L. Recorded as by recordFactors().
torch::Tensor attendWithFactors(const FactoredAttention& attention, const torch::Tensor& value,
                                const std::string& layer, const AttentionDescription& description,
                                Recorder* recorder);

/// Returns a divisorOf that divides rows by their sums plus `added`.
std::function<torch::Tensor(const torch::Tensor& sums)> sumsAnd(double added);

/// Returns [V 1]: a matrix that multiplies it yields its row sums in the last column.
torch::Tensor withOnes(const torch::Tensor& value);

/// Returns the sum of each row of L R^T: [B, heads, queries, 1].
torch::Tensor rowSums(const torch::Tensor& left, const torch::Tensor& right);

}  // namespace softscope
