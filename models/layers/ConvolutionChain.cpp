#include "models/layers/ConvolutionChain.h"

namespace softscope {

NormedConvolutionImpl::NormedConvolutionImpl(const NormedConvolutionOptions& options) {
  convolution_ = register_module("conv", Convolution(options.convolution));
  if (!options.norm) return;
  norm_ = register_module("norm", BatchNorm(options.convolution.outputs, options.epsilon));
}

torch::Tensor NormedConvolutionImpl::forward(const torch::Tensor& map) {
  return norm_.is_empty() ? convolution_->forward(map) : convolution_->forward(map, *norm_);
}

torch::Tensor NormedConvolutionImpl::scale() const {
  return norm_.is_empty() ? torch::Tensor() : norm_->terms().scale();
}

ConvolutionChainImpl::ConvolutionChainImpl(const std::vector<ChainLink>& links,
                                           MapActivation activation)
    : activation_(activation) {
  for (const ChainLink& link : links) {
    convolutions_.push_back(register_module(link.name, NormedConvolution(link.options)));
  }
}

torch::Tensor ConvolutionChainImpl::forward(const torch::Tensor& map) {
  torch::Tensor x = map;
  for (std::size_t i = 0; i < convolutions_.size(); ++i) {
    if (i > 0) x = activation_(x);
    x = convolutions_[i]->forward(x);
  }
  return x;
}

ConvolutionOptions depthwiseOptions(int channels, int kernel, int stride, bool bias) {
  return {.inputs = channels,
          .outputs = channels,
          .kernel = kernel,
          .stride = stride,
          .padding = kernel / 2,
          .groups = channels,
          .bias = bias};
}

ConvolutionOptions pointwiseOptions(int inputs, int outputs, bool bias) {
  return {.inputs = inputs, .outputs = outputs, .bias = bias};
}

int halvedSide(int side) {
  return (side + 1) / 2;
}

}  // namespace softscope
