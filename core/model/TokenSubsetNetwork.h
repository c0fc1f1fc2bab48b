#pragma once

#include <torch/types.h>

namespace softscope {

/// An additional interface of networks that can compute with any subset of their tokens, because no
/// part of them, such as a convolution or an average, needs all tokens in place.
class TokenSubsetNetwork {
 public:
  virtual ~TokenSubsetNetwork() = default;

  /// Returns the logits for a picture [1, 3, H, W] from only the patches whose indices, counted row
  /// by row, are in `kept` [k]; the other patches do not become tokens at all. Throws
  /// InspectionError if the result would depend on them.
  virtual torch::Tensor forwardTokens(const torch::Tensor& picture, const torch::Tensor& kept) = 0;
};

}  // namespace softscope
