#pragma once

#include "models/layers/Layers.h"

#include <torch/types.h>

namespace softscope {

struct ResidualBlockOptions {
  int inputs = 0;
  int outputs = 0;
  int bottleneck =
      0;  ///< channels of the 3 x 3 convolution between two of 1 x 1; 0 for a basic block
  int stride = 1;
};

/// A residual block with pre-activation: a norm and a ReLU precede each convolution. A basic block
/// has `conv1` and `conv2` of 3 x 3; a bottleneck has 1 x 1, 3 x 3 and 1 x 1, with `conv3`. If the
/// shape changes, `shortcut` is a 1 x 1 convolution of the first activation.
class ResidualBlockImpl : public torch::nn::Module {
 public:
  explicit ResidualBlockImpl(const ResidualBlockOptions& options);
  /// Maps [B, inputs, H, W] to [B, outputs, ceil(H / stride), ceil(W / stride)].
  torch::Tensor forward(const torch::Tensor& x);
  /// Rescales the convolutions that initialise() drew to the deviation of He et al.
  void rescaleInitialisation();

 private:
  BatchNorm norm1_{nullptr};
  Convolution convolution1_{nullptr};
  BatchNorm norm2_{nullptr};
  Convolution convolution2_{nullptr};
  BatchNorm norm3_{nullptr};
  Convolution convolution3_{nullptr};
  Convolution shortcut_{nullptr};
};
TORCH_MODULE(ResidualBlock);

}  // namespace softscope
