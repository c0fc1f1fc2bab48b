#pragma once

#include "core/network/NetworkModule.h"
#include "models/layers/Layers.h"

#include <string>
#include <vector>

namespace softscope {

/// Sizes and parts of a Vision-RWKV, which names and shapes determine, and what leaves nothing in
/// them.
struct VrwkvConfiguration {
  std::string prefix = "backbone.";  ///< in front of every name but the head's
  int channels = 0;
  int depth = 0;
  int hidden = 0;  ///< inside the channel mixing
  int patch = 16;
  int side = 14;            ///< of the grid of its positions
  bool hasScales = false;   ///< `gamma` multiplies what attention and channel mixing add
  bool normsAfter = false;  ///< norms stand behind attention and channel mixing, not before them
  bool normsKeys = false;   ///< a norm follows what the heads attend to
  bool hasFinalNorm = true;
  int classes = 0;
  int shiftPixels = 1;       ///< between a token and the neighbours that it is mixed with
  double shiftShare = 0.25;  ///< the share of the channels that come from each side, at most 1/4

  /// Returns `backbone.layers.3.`.
  std::string layer(int index) const { return prefix + "layers." + std::to_string(index) + "."; }
};

/// Mixes each token with its neighbours, channel by channel: x m + shifted (1 - m), where an equal
/// share of the channels each is shifted from the left, the right, above and below.
class VrwkvShift {
 public:
  VrwkvShift(const torch::Tensor& tokens, const TokenGrid& grid, const VrwkvConfiguration& sizes);
  torch::Tensor mixed(const torch::Tensor& shares) const;

 private:
  torch::Tensor tokens_;
  torch::Tensor shifted_;
};

/// `att`: the bidirectional WKV of "Vision-RWKV: Efficient and Scalable Visual Perception with
/// RWKV-Like Architectures", 2024, arXiv 2403.02308, as its published kernel computes it, with a
/// gate on the result.
class VrwkvAttentionImpl : public torch::nn::Module {
 public:
  VrwkvAttentionImpl(std::string name, const VrwkvConfiguration& sizes);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);
  const std::string& layer() const { return name_; }

 private:
  void record(const torch::Tensor& key, const TokenGrid& grid, Recorder* recorder) const;

  std::string name_;
  VrwkvConfiguration sizes_;
  torch::Tensor decay_, first_;
  torch::Tensor keyShares_, valueShares_, gateShares_;
  Linear key_{nullptr};
  Linear value_{nullptr};
  Linear gate_{nullptr};
  LayerNorm keyNorm_{nullptr};
  Linear output_{nullptr};
};
TORCH_MODULE(VrwkvAttention);

/// `ffn`: sigmoid(r) times W relu(k)^2.
class VrwkvMixingImpl : public torch::nn::Module {
 public:
  explicit VrwkvMixingImpl(const VrwkvConfiguration& sizes);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid);

 private:
  VrwkvConfiguration sizes_;
  torch::Tensor keyShares_, gateShares_;
  Linear key_{nullptr};
  LayerNorm keyNorm_{nullptr};
  Linear gate_{nullptr};
  Linear value_{nullptr};
};
TORCH_MODULE(VrwkvMixing);

/// Vision-RWKV under the published parameter names. Takes pictures of any size, whose positions are
/// resized.
class VrwkvNetwork final : public NetworkModule {
 public:
  explicit VrwkvNetwork(const VrwkvConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  struct Layer {
    LayerNorm norm0{nullptr};  ///< of the first layer alone
    LayerNorm norm1{nullptr};
    LayerNorm norm2{nullptr};
    VrwkvAttention attention{nullptr};
    VrwkvMixing mixing{nullptr};
    torch::Tensor scale1, scale2;
  };
  torch::Tensor run(Layer& layer, const torch::Tensor& tokens, const TokenGrid& grid,
                    Recorder* recorder);
  torch::Tensor positionsFor(const TokenGrid& grid) const;

  VrwkvConfiguration configuration_;
  torch::Tensor positions_;
  Convolution embedding_{nullptr};
  std::vector<Layer> layers_;
  LayerNorm norm_{nullptr};
  Linear head_{nullptr};
};

}  // namespace softscope
