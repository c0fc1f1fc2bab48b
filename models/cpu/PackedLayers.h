#pragma once

#include "models/cpu/OneDnn.h"

#include <torch/types.h>

#include <memory>
#include <optional>

namespace softscope {

class PackedWeights;

/// The weights of a linear layer in the layout that oneDNN prefers. Otherwise oneDNN would
/// rearrange them in every product, which takes up to a third of the time for the few hundred
/// tokens of a picture. The packed weights are a second copy, so they are made only when unchanged
/// weights are used a second time and the machine has room for several more. Safe to call from any
/// thread.
class PackedProduct {
 public:
  PackedProduct();

  /// Returns activation(x W^T + b) for x [..., inputs], weight [outputs, inputs] and bias [outputs]
  /// or undefined. Returns nothing if other code should multiply: on first use, for many rows, if x
  /// or the weight is not isInferredOnCpu(), and if oneDNN is slow.
  std::optional<torch::Tensor> forward(const torch::Tensor& x, const torch::Tensor& weight,
                                       const torch::Tensor& bias, Activation activation) const;

 private:
  std::shared_ptr<PackedWeights> packed_;
};

/// The batch norm after a convolution at inference, which maps the convolution's result y to
/// (y - mean) / sqrt(variance + epsilon) * weight + bias. Each tensor is [outputs].
struct NormTerms {
  torch::Tensor weight;
  torch::Tensor bias;
  torch::Tensor mean;
  torch::Tensor variance;
  double epsilon = 0;

  /// Returns the factor of each channel, [outputs].
  torch::Tensor scale() const { return weight / (variance + epsilon).sqrt(); }
};

/// A square convolution, with the norm and the activation that follow it.
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

/// The weights of a convolution and the norm after it, in the layout that oneDNN prefers. They are
/// packed on first use, and again when one of their tensors has changed. Safe to call from any
/// thread.
class PackedConvolution {
 public:
  PackedConvolution();

  /// Returns activation(norm(convolution(x))) for x [B, inputs, H, W], with the channels of each
  /// place contiguous in memory (channels last), which is also the fastest layout for x. Returns
  /// nothing if x is not isInferredOnCpu(), or if oneDNN has no fast code for the convolution.
  std::optional<torch::Tensor> forward(const torch::Tensor& x, const ConvolutionTerms& terms) const;

 private:
  std::shared_ptr<PackedWeights> packed_;
};

}  // namespace softscope
