#pragma once

#include "core/network/Recorder.h"

#include <torch/types.h>

#include <string>

namespace softscope {

/// The interface of a network that core needs; `models/` implements it. Immutable once built:
/// forward() may be called from several threads.
class Network {
 public:
  virtual ~Network() = default;

  /// Returns the logits [B, classes] for normalised pictures [B, 3, H, W] ([B, 1, H, W] if the
  /// network takes grey ones), or an undefined tensor
  /// for a backbone without a head. If `recorder` is not null, attention layers pass it what they
  /// compute for the first picture.
  virtual torch::Tensor forward(const torch::Tensor& pictures, Recorder* recorder) = 0;

  /// Throws an InspectionError that says which sizes are possible if the architecture cannot take a
  /// picture of this size.
  virtual void checkInputSize(int height, int width) const = 0;

  /// Returns the device that holds the parameters.
  virtual torch::Device device() const = 0;
};

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
