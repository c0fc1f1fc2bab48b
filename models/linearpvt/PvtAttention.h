#pragma once

#include "models/layers/Layers.h"
#include "models/layers/TransformerBlock.h"

#include <string>

namespace softscope {

struct PvtAttentionOptions {
  std::string name;
  int channels = 0;
  int heads = 0;
  /// If above 1, each key stands for ratio x ratio patches.
  int ratio = 1;
  /// Number of entries in the table of positions that is added to the keys.
  int keys = 0;
  bool bias = true;
  int filter = 5;  ///< side of the convolution beside the attention
};

/// The common parts of the attentions of FLatten-PVT and PolaFormer-PVT: keys and values from the
/// tokens or from a convolution of them, a table of positions added to the keys, one length per
/// channel that queries and keys are divided by, and a convolution of V beside the attention, 5 x
/// 5, with a filter for each of a head's channels, shared by all heads.
class PvtAttentionImpl : public StageAttention {
 public:
  explicit PvtAttentionImpl(const PvtAttentionOptions& options);

 protected:
  struct KeysAndValues {
    torch::Tensor keys;    ///< [B, n_k, C], positions included
    torch::Tensor values;  ///< [B, n_k, C]
  };
  KeysAndValues keysAndValues(const torch::Tensor& tokens, const TokenGrid& grid);
  /// Convolves V [B, n_k, C], and resizes the result to the n queries if there are fewer keys: [B,
  /// n, C].
  torch::Tensor convolve(const torch::Tensor& values, const TokenGrid& grid) const;
  /// Returns softplus(scale): [1, 1, C].
  torch::Tensor lengths() const;
  /// Maps [B, n, heads * d] to [B, n, C].
  torch::Tensor project(const torch::Tensor& joined) const { return projection_->forward(joined); }
  const torch::Tensor& projectionWeight() const { return projection_->weight; }
  AttentionDescription describe(const char* mechanism, const TokenGrid& grid) const;
  int heads() const { return options_.heads; }

 private:
  PvtAttentionOptions options_;
  Linear keyValue_{nullptr};
  Linear projection_{nullptr};
  Convolution reduction_{nullptr};
  LayerNorm reductionNorm_{nullptr};
  Convolution convolution_{nullptr};
  torch::Tensor positions_;
  torch::Tensor scale_;
};

/// Returns L = phi(q) / (n_k (phi(q) . mean phi(k) + 1e-6)), for features [B, heads, n, r] of
/// queries and [B, heads, n_k, r] of keys: with R = phi(k), the rows of L R^T sum to one.
torch::Tensor normalisedByMean(const torch::Tensor& queries, const torch::Tensor& keys);

}  // namespace softscope
