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
/// starts from is still in files, but unused.
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
/// 1e-6), after adding a table of positions to the keys. A 5 x 5 convolution of V is added, with a
/// filter for each of a head's channels, shared by all heads.
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

/// SLAB-DeiT: DeiT without a class token, with SLAB's attention and norms, and a head on the mean
/// of all tokens. Only takes pictures of the size that its positions are for.
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
