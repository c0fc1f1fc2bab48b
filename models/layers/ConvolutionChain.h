#pragma once

#include "models/layers/Layers.h"

#include <string>
#include <vector>

namespace softscope {

/// What follows a convolution.
struct NormedConvolutionOptions {
  ConvolutionOptions convolution;
  /// Whether a batch norm follows, and its epsilon.
  bool norm = true;
  double epsilon = 1e-5;
};

/// A convolution `conv`, and its batch norm `norm` where it has one.
class NormedConvolutionImpl : public torch::nn::Module {
 public:
  explicit NormedConvolutionImpl(const NormedConvolutionOptions& options);
  /// [B, inputs, H, W] -> [B, outputs, H', W'].
  torch::Tensor forward(const torch::Tensor& map);
  /// Of the convolution.
  const torch::Tensor& weight() const { return convolution_->weight; }
  /// What its norm multiplies each channel by outside training: [outputs]; undefined without one.
  torch::Tensor scale() const;

 private:
  Convolution convolution_{nullptr};
  BatchNorm norm_{nullptr};
};
TORCH_MODULE(NormedConvolution);

/// An activation without parameters.
using MapActivation = torch::Tensor (*)(const torch::Tensor&);

/// A convolution of a chain, and the name it has there.
struct ChainLink {
  std::string name;
  NormedConvolutionOptions options;
};

/// Convolutions one after the other, an activation after each except the last.
class ConvolutionChainImpl : public torch::nn::Module {
 public:
  ConvolutionChainImpl(const std::vector<ChainLink>& links, MapActivation activation);
  torch::Tensor forward(const torch::Tensor& map);

 private:
  MapActivation activation_;
  std::vector<NormedConvolution> convolutions_;
};
TORCH_MODULE(ConvolutionChain);

/// A filter of `kernel` x `kernel` for each channel, the map zero outside.
ConvolutionOptions depthwiseOptions(int channels, int kernel, int stride = 1, bool bias = true);
/// A linear layer on each place of a map.
ConvolutionOptions pointwiseOptions(int inputs, int outputs, bool bias = true);

/// Side of what a padded convolution of stride 2 leaves of `side`.
int halvedSide(int side);

}  // namespace softscope
