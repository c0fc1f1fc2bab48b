#pragma once

#include "models/cpu/OneDnn.h"

#include <torch/types.h>

#include <memory>
#include <optional>

namespace softscope {

class PackedWeights;

/// The weights of a linear layer as oneDNN wants them, which otherwise puts them so in every
/// product: of the few hundred tokens of a picture that takes up to a third of the time. They are a
/// second copy, so they are put so when unchanged weights are used a second time, and where the
/// machine has room for several more. Any thread may ask.
class PackedProduct {
 public:
  PackedProduct();

  /// activation(x W^T + b) of x [..., inputs], weight [outputs, inputs] and bias [outputs] or
  /// undefined. Nothing where others are to multiply: at the first use, for many rows, where x or
  /// the weight is not isInferredOnCpu(), and where oneDNN is slow.
  std::optional<torch::Tensor> forward(const torch::Tensor& x, const torch::Tensor& weight,
                                       const torch::Tensor& bias, Activation activation) const;

 private:
  std::shared_ptr<PackedWeights> packed_;
};

}  // namespace softscope
