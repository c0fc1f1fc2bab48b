#pragma once

#include "core/model/NetworkModule.h"
#include "models/layers/TransformerBlock.h"
#include "models/lineardeit/LinearDeitSizes.h"

#include <string>
#include <vector>

namespace softscope {

/// Re-parameterised batch norm of "SLAB: Efficient Transformers with Simplified Linear Attention
/// and Progressive Re-parameterized Batch Normalization", 2024: BN(x) + alpha x over the channels
/// of tokens [B, n, C]. Parameters `norm2.alpha` [1] and `norm2.bn`; the layer norm that training
/// starts from stands beside them in files and takes no part.
class ReparameterisedNormImpl : public torch::nn::Module {
 public:
  explicit ReparameterisedNormImpl(int channels);
  torch::Tensor forward(const torch::Tensor& tokens);

 private:
  torch::Tensor alpha_;
  BatchNorm norm_{nullptr};
};
TORCH_MODULE(ReparameterisedNorm);

/// SLAB's simplified linear attention: A_ij = relu(q_i) . relu(k_j) / (relu(q_i) . sum relu(k) +
/// 1e-6), with a table of positions added to the keys before. Beside it a 5 x 5 convolution of V
/// with a filter for each of a head's channels, the same for all heads.
class SimplifiedAttentionImpl : public StageAttention {
 public:
  SimplifiedAttentionImpl(const std::string& name, const LinearDeitSizes& sizes);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                        Recorder* recorder) override;

 private:
  int heads_;
  torch::Tensor positions_;
  Linear queryKeyValue_{nullptr};
  Linear projection_{nullptr};
  Convolution convolution_{nullptr};
};

/// SLAB-DeiT: DeiT without a class token, with that attention and those norms, and a head on the
/// mean of all tokens. Takes pictures of the size of its positions alone.
class SlabNetwork final : public NetworkModule {
 public:
  explicit SlabNetwork(const LinearDeitSizes& sizes);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  int pictureSide_;
  Convolution embedding_{nullptr};
  torch::Tensor positions_;
  std::vector<TransformerBlock<ReparameterisedNorm>> blocks_;
  ReparameterisedNorm norm_{nullptr};
  Linear head_{nullptr};
};

}  // namespace softscope
