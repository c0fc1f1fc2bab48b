#pragma once

#include "models/cpu/OneDnn.h"

#include <torch/types.h>

#include <memory>
#include <optional>

namespace softscope {

/// The batch norm after a convolution, outside training: (y - mean) / sqrt(variance + epsilon)
/// weight + bias, each [outputs].
struct NormTerms {
  torch::Tensor weight;
  torch::Tensor bias;
  torch::Tensor mean;
  torch::Tensor variance;
  double epsilon = 0;

  /// What each channel is multiplied by: [outputs].
  torch::Tensor scale() const { return weight / (variance + epsilon).sqrt(); }
};

/// A square convolution and what follows it.
struct ConvolutionTerms {
  torch::Tensor weight;  ///< [outputs, inputs / groups, k, k]
  torch::Tensor bias;    ///< [outputs], or undefined
  int stride = 1;
  int padding = 0;
  int groups = 1;
  std::optional<NormTerms> norm = {};
  Activation activation = Activation::None;
};

class PackedWeights;

/// The weights of a convolution, with the norm after it, as oneDNN wants them: they are put so when
/// they are used first, and again when a tensor of them was changed. Any thread may ask.
class PackedConvolution {
 public:
  PackedConvolution();

  /// activation(norm(convolution(x))) of x [B, inputs, H, W], with the channels of each place
  /// together in memory (channels last), in which x is read fastest, too. Nothing where x is not
  /// isInferredOnCpu(), or oneDNN has no code for the convolution that is fast.
  std::optional<torch::Tensor> forward(const torch::Tensor& x, const ConvolutionTerms& terms) const;

 private:
  std::shared_ptr<PackedWeights> packed_;
};

}  // namespace softscope
