#pragma once

#include "models/layers/Layers.h"
#include "models/layers/StageAttention.h"

#include <string>

namespace softscope {

struct PvtAttentionOptions {
  std::string name;
  int channels = 0;
  int heads = 0;
  /// Keys stand for ratio x ratio patches where it is more than 1.
  int ratio = 1;
  /// Of the table of positions that is added to them.
  int keys = 0;
  bool bias = true;
};

/// What the attentions of FLatten- and PolaFormer-PVT share: keys and values of the tokens or of a
/// convolution of them, a table of positions added to the keys, one length per channel that queries
/// and keys are divided by, and a 5 x 5 convolution of V beside the attention, with a filter for
/// each of a head's channels, the same for all heads.
class PvtAttentionImpl : public StageAttention {
 public:
  explicit PvtAttentionImpl(const PvtAttentionOptions& options);

 protected:
  struct KeysAndValues {
    torch::Tensor keys;    ///< [B, n_k, C], positions included
    torch::Tensor values;  ///< [B, n_k, C]
  };
  KeysAndValues keysAndValues(const torch::Tensor& tokens, const TokenGrid& grid);
  /// The convolution of V [B, n_k, C], stretched to the n queries where its tokens are fewer:
  /// [B, n, C].
  torch::Tensor convolve(const torch::Tensor& values, const TokenGrid& grid) const;
  /// softplus(scale): [1, 1, C].
  torch::Tensor lengths() const;
  /// [B, n, heads * d] -> [B, n, C].
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

/// L = phi(q) / (n_k (phi(q) . mean phi(k) + 1e-6)), for features [B, heads, n, r] of queries and
/// [B, heads, n_k, r] of keys: with R = phi(k), the rows of L R^T sum to one.
torch::Tensor normalisedByMean(const torch::Tensor& queries, const torch::Tensor& keys);

}  // namespace softscope
