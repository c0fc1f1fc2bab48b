#pragma once

#include "models/vit/VitBackbone.h"

namespace softscope {

/// ViT, DeiT and DINOv2: square patches of the picture are the tokens.
class VitNetwork final : public VitBackbone {
 public:
  explicit VitNetwork(const VitConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  Convolution embedding_{nullptr};
};

}  // namespace softscope
