#pragma once

#include "models/layers/Layers.h"
#include "models/layers/StageAttention.h"

#include <string>

namespace softscope {

/// A separate linear layer for each head: y_h = x_h W_h^T + b_h. Parameters `weight` [outputs,
/// inputs / heads, 1] and `bias` [outputs].
class HeadLinearImpl : public torch::nn::Module {
 public:
  HeadLinearImpl(int inputs, int outputs, int heads);
  /// Maps [B, inputs] to [B, outputs].
  torch::Tensor forward(const torch::Tensor& x) const;

 private:
  int heads_;
  torch::Tensor weight_;
  torch::Tensor bias_;
};
TORCH_MODULE(HeadLinear);

/// Injective linear attention with local attention, of "Bridging the Divide: Reconsidering Softmax
/// and Linear Attention", 2024: A_ij = (s q_i . k_j + 1 - s q_i . mean k) / n with s = d^(-1/2),
/// whose rows sum to one without a division. Added to it is a 3 x 3 convolution of the patches' V
/// with one filter per channel, which an mlp generates from the mean of all tokens.
class InlineAttentionImpl : public StageAttention {
 public:
  InlineAttentionImpl(const std::string& name, int channels, int heads, bool queryKeyValueBias);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                        Recorder* recorder) override;

 private:
  /// Convolves V [B, heads, 1 + n, d] with filters generated from `tokens`; the result has the same
  /// shape, with zeros for the class token.
  torch::Tensor convolve(const torch::Tensor& value, const torch::Tensor& tokens,
                         const TokenGrid& grid) const;

  int heads_;
  Linear queryKeyValue_{nullptr};
  Linear projection_{nullptr};
  HeadLinear expandMean_{nullptr};
  HeadLinear makeFilters_{nullptr};
};

}  // namespace softscope
