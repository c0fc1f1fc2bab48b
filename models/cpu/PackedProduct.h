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

}  // namespace softscope
