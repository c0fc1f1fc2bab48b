#pragma once

#include "core/network/Network.h"
#include "models/vit/VitBackbone.h"

namespace softscope {

/// ViT, DeiT and DINOv2: square patches of the picture are the tokens.
class VitNetwork final : public VitBackbone, public TokenSubsetNetwork {
 public:
  explicit VitNetwork(const VitConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  torch::Tensor forwardTokens(const torch::Tensor& picture, const torch::Tensor& kept) override;
  void checkInputSize(int height, int width) const override;

 private:
  Convolution embedding_{nullptr};
};

}  // namespace softscope
