#pragma once

#include "core/inspect/Recorder.h"
#include "models/Layers.h"

namespace softscope {

/// The attention of a block in stages 1 to 3 of SOFT's pyramid, `mha`: SOFT's own or another.
class StageAttention : public torch::nn::Module {
 public:
  /// [B, n, channels] -> [B, n, channels].
  virtual torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                Recorder* recorder) = 0;
};

}  // namespace softscope
