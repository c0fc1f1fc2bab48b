#include "models/preresnet/PreresnetBlocks.h"

#include "models/layers/Initialisation.h"

namespace softscope {

namespace {

Convolution convolution(int inputs, int outputs, int kernel, int stride = 1) {
  return Convolution(ConvolutionOptions{.inputs = inputs,
                                        .outputs = outputs,
                                        .kernel = kernel,
                                        .stride = stride,
                                        .padding = kernel / 2,
                                        .bias = false});
}

}  // namespace

ResidualBlockImpl::ResidualBlockImpl(const ResidualBlockOptions& options) {
  const auto [inputs, outputs, bottleneck, stride] = options;
  const int inner = bottleneck > 0 ? bottleneck : outputs;
  norm1_ = register_module("norm1", BatchNorm(inputs));
  norm2_ = register_module("norm2", BatchNorm(inner));
  if (bottleneck > 0) {
    convolution1_ = register_module("conv1", convolution(inputs, inner, 1));
    convolution2_ = register_module("conv2", convolution(inner, inner, 3, stride));
    norm3_ = register_module("norm3", BatchNorm(inner));
    convolution3_ = register_module("conv3", convolution(inner, outputs, 1));
  } else {
    convolution1_ = register_module("conv1", convolution(inputs, inner, 3, stride));
    convolution2_ = register_module("conv2", convolution(inner, outputs, 3));
  }
  if (stride != 1 || inputs != outputs) {
    shortcut_ = register_module("shortcut", convolution(inputs, outputs, 1, stride));
  }
}

torch::Tensor ResidualBlockImpl::forward(const torch::Tensor& x) {
  const torch::Tensor activated = norm1_->forward(x).relu_();
  torch::Tensor y = convolution1_->forward(activated);
  y = convolution2_->forward(norm2_->forward(y).relu_());
  if (!convolution3_.is_empty()) y = convolution3_->forward(norm3_->forward(y).relu_());
  return y.add_(shortcut_.is_empty() ? x : shortcut_->forward(activated));
}

void ResidualBlockImpl::rescaleInitialisation() {
  const torch::NoGradGuard noGradient;
  for (Convolution layer : {convolution1_, convolution2_, convolution3_, shortcut_}) {
    if (!layer.is_empty()) rescale(*layer, heDeviation(*layer));
  }
}

}  // namespace softscope
