#pragma once

#include "core/model/Recorder.h"

#include <torch/types.h>

#include <string>

namespace softscope {

/// What core needs of a network; `models/` implements it. Immutable once built: forward() may be
/// called from several threads.
class Network {
 public:
  virtual ~Network() = default;

  /// Logits [B, classes] of normalised pictures [B, 3, H, W], or an undefined tensor for a backbone
  /// without a head. Attention layers hand `recorder`, when it is not null, what they compute for
  /// the first picture.
  virtual torch::Tensor forward(const torch::Tensor& pictures, Recorder* recorder) = 0;

  /// Throws InspectionError if the architecture cannot take a picture of that size, saying which
  /// sizes it can.
  virtual void checkInputSize(int height, int width) const = 0;

  /// Where the parameters are.
  virtual torch::Device device() const = 0;
};

}  // namespace softscope
