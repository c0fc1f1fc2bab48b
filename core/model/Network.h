#pragma once

#include "core/model/Recorder.h"

#include <torch/types.h>

#include <string>

namespace softscope {

/// The interface of a network that core needs; `models/` implements it. Immutable once built:
/// forward() may be called from several threads.
class Network {
 public:
  virtual ~Network() = default;

  /// Returns the logits [B, classes] for normalised pictures [B, 3, H, W], or an undefined tensor
  /// for a backbone without a head. If `recorder` is not null, attention layers pass it what they
  /// compute for the first picture.
  virtual torch::Tensor forward(const torch::Tensor& pictures, Recorder* recorder) = 0;

  /// Throws an InspectionError that says which sizes are possible if the architecture cannot take a
  /// picture of this size.
  virtual void checkInputSize(int height, int width) const = 0;

  /// Returns the device that holds the parameters.
  virtual torch::Device device() const = 0;
};

}  // namespace softscope
