#pragma once

#include <torch/types.h>

namespace softscope {

/// What a network is besides a Network if it computes with any of its tokens: nothing in it, such
/// as a convolution or an average, needs them all in their places.
class TokenSubsetNetwork {
 public:
  virtual ~TokenSubsetNetwork() = default;

  /// Logits of a picture [1, 3, H, W] from those patches alone whose indices, row by row, `kept`
  /// [k] holds: the others are no tokens at all. Throws InspectionError where the answer needs
  /// them after all.
  virtual torch::Tensor forwardTokens(const torch::Tensor& picture, const torch::Tensor& kept) = 0;
};

}  // namespace softscope
