#pragma once

#include "models/deit/DeitBackbone.h"

namespace softscope {

/// DeiT and ViT, distilled or not, with softmax or SimA attention.
class DeitNetwork final : public DeitBackbone {
 public:
  DeitNetwork(const DeitConfiguration& configuration, int patch);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  int patch_;
  Convolution embedding_{nullptr};
};

}  // namespace softscope
