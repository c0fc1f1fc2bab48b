#pragma once

#include "core/network/NetworkModule.h"
#include "models/layers/Layers.h"

#include <string>
#include <vector>

namespace softscope {

/// Sizes of a ViG, which names and shapes determine, and what they do not tell.
struct VigConfiguration {
  int channels = 0;
  int depth = 0;
  int hidden = 0;              ///< inside the blocks' mlp
  int stemChannels = 0;        ///< between the two convolutions of the stem
  int stemKernel = 9;          ///< of the first one: half a patch and one
  int side = 14;               ///< patches per side
  int headWidth = 0;           ///< channels of V in a head
  int keyChannels = 0;         ///< of queries, and of keys, in all heads
  int gateRanks = 0;           ///< inside the projection of the gates
  bool activatesLocal = true;  ///< silu follows the convolution before attention
  bool activatesSum = true;    ///< silu follows the sum behind attention
  bool activatesStem = false;  ///< silu follows the last norm of the stem
  int classes = 0;

  int heads() const { return channels / headWidth; }
  int patch() const { return 2 * (stemKernel - 1); }
};

/// Gated linear attention in both directions of "ViG: Linear-complexity Visual Sequence Learning
/// with Gated Linear Attention", 2024, arXiv 2405.18425: A_ij = sum_c q_ic k_jc times the gates
/// between i and j, for j <= i and for j >= i, times d^(-1/2) / 4. A gate mixes its normalised
/// result with the convolved tokens.
class VigAttentionImpl : public torch::nn::Module {
 public:
  VigAttentionImpl(std::string name, const VigConfiguration& sizes);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);
  const std::string& layer() const { return name_; }

 private:
  /// Queries, keys and the gates' logarithms, [B, heads, n, d] each.
  struct Factors {
    torch::Tensor query, key, forward, backward;
  };
  torch::Tensor scan(const Factors& factors, const torch::Tensor& value,
                     const Recorder* recorder) const;
  void record(const Factors& factors, const TokenGrid& grid, Recorder* recorder) const;

  std::string name_;
  VigConfiguration sizes_;
  Convolution convolution_{nullptr};
  Linear queryKeyValue_{nullptr};
  Linear gates1_{nullptr};
  Linear gates2_{nullptr};
  Linear output_{nullptr};
  RmsNorm globalNorm_{nullptr};
  RmsNorm localNorm_{nullptr};
  Linear mixture_{nullptr};
};
TORCH_MODULE(VigAttention);

/// ViG under the published parameter names. Takes pictures of the size of its positions.
class VigNetwork final : public NetworkModule {
 public:
  explicit VigNetwork(const VigConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  struct Block {
    RmsNorm norm1{nullptr};
    VigAttention attention{nullptr};
    RmsNorm norm2{nullptr};
    Linear expand{nullptr};  ///< the gate's channels, and then those that it multiplies
    Linear contract{nullptr};
  };
  torch::Tensor embed(const torch::Tensor& picture);

  VigConfiguration configuration_;
  torch::Tensor positions_;
  Convolution stem1_{nullptr};
  LayerNorm stemNorm1_{nullptr};
  Convolution stem2_{nullptr};
  LayerNorm stemNorm2_{nullptr};
  std::vector<Block> blocks_;
  RmsNorm norm_{nullptr};
  Linear head_{nullptr};
};

}  // namespace softscope
