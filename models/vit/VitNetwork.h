#pragma once

#include "core/network/Network.h"
#include "models/vit/VitBackbone.h"

namespace softscope {

/// ViT and the networks that share its backbone: square patches of the picture are the tokens.
class VitNetwork final : public VitBackbone, public TokenSubsetNetwork {
 public:
  explicit VitNetwork(const VitConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  torch::Tensor forwardTokens(const torch::Tensor& picture, const torch::Tensor& kept) override;
  void checkInputSize(int height, int width) const override;

 private:
  /// Maps a picture [B, 3, H, W] to [B, C, H / patch, W / patch].
  torch::Tensor embed(const torch::Tensor& picture);

  Convolution embedding_{nullptr};
  Linear pixels_{nullptr};
};

}  // namespace softscope
