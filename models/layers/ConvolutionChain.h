#pragma once

#include "models/layers/Layers.h"

#include <string>
#include <vector>

namespace softscope {

/// The norm that follows a convolution.
struct NormedConvolutionOptions {
  ConvolutionOptions convolution;
  /// True if a batch norm follows, and its epsilon.
  bool norm = true;
  double epsilon = 1e-5;
};

/// A convolution `conv`, and its batch norm `norm` if it has one.
class NormedConvolutionImpl : public torch::nn::Module {
 public:
  explicit NormedConvolutionImpl(const NormedConvolutionOptions& options);
  /// Maps [B, inputs, H, W] to [B, outputs, H', W'].
  torch::Tensor forward(const torch::Tensor& map);
  /// The weight of the convolution.
  const torch::Tensor& weight() const { return convolution_->weight; }
  /// Returns the norm's factor for each channel outside training, [outputs]; undefined without a
  /// norm.
  torch::Tensor scale() const;

 private:
  Convolution convolution_{nullptr};
  BatchNorm norm_{nullptr};
};
TORCH_MODULE(NormedConvolution);

/// An activation without parameters.
using MapActivation = torch::Tensor (*)(const torch::Tensor&);

/// A convolution of a chain, with its name there.
struct ChainLink {
  std::string name;
  NormedConvolutionOptions options;
};

/// A sequence of convolutions, each but the last followed by an activation.
class ConvolutionChainImpl : public torch::nn::Module {
 public:
  ConvolutionChainImpl(const std::vector<ChainLink>& links, MapActivation activation);
  torch::Tensor forward(const torch::Tensor& map);

 private:
  MapActivation activation_;
  std::vector<NormedConvolution> convolutions_;
};
TORCH_MODULE(ConvolutionChain);

/// Options for a filter of `kernel` x `kernel` per channel, with zero padding.
ConvolutionOptions depthwiseOptions(int channels, int kernel, int stride = 1, bool bias = true);
/// Options for a linear layer applied to each place of a map.
ConvolutionOptions pointwiseOptions(int inputs, int outputs, bool bias = true);

/// Returns the side that a padded convolution of stride 2 reduces `side` to.
int halvedSide(int side);

}  // namespace softscope
