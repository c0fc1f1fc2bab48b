#pragma once

#include "core/network/Recorder.h"

#include <torch/types.h>

#include <string>

namespace softscope {

/// The relative positions of tokens, for the biases that BEiT adds to scores. Every pair of tokens
/// has an entry in a table, in the order that RelativeBias describes.
class RelativePositions {
 public:
  /// Tokens are the patches of `grid`, preceded by a class token if `prefixTokens` is 1.
  RelativePositions(const TokenGrid& grid, int prefixTokens, const torch::Device& device);

  /// Returns the positions of those tokens only whose indices are in `kept` [k].
  RelativePositions ofTokens(const torch::Tensor& kept) const;
  /// Returns the entries of `tables` [g, entries] for queries [first, first + count) and all keys:
  /// [g, count, n].
  torch::Tensor biases(const torch::Tensor& tables, std::int64_t first, std::int64_t count) const;

 private:
  TokenGrid grid_;
  /// Row and column of every token, [n]; -1 for the class token.
  torch::Tensor rows_;
  torch::Tensor columns_;
};

/// The parts of a MixedSoftmaxMap beside its scaled product; that class explains L, B, M and c.
struct SoftmaxMixture {
  double scale = 1;
  torch::Tensor bias = {};                       ///< tables [g, entries]; or undefined
  const RelativePositions* positions = nullptr;  ///< given with `bias`
  torch::Tensor before = {};                     ///< [g, f]; undefined for the identity
  torch::Tensor after = {};                      ///< [heads, g]; undefined for the identity
  torch::Tensor added = {};                      ///< [heads]; undefined for zeros
};

/// Computes (c + M softmax(L (scale q k^T) + B)) v of q, k [B, f, n, d] and v [B, heads, n, d'] in
/// strips of queries, and records it. `description` holds everything but the sizes. May throw
/// Cancelled.
torch::Tensor mixedSoftmaxAttention(const torch::Tensor& query, const torch::Tensor& key,
                                    const torch::Tensor& value, const SoftmaxMixture& mixture,
                                    const std::string& layer,
                                    const AttentionDescription& description, Recorder* recorder);

}  // namespace softscope
