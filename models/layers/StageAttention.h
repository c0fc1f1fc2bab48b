#pragma once

#include "core/network/Recorder.h"
#include "models/layers/Layers.h"

#include <string>
#include <utility>

namespace softscope {

/// The attention of a block: `mha` in stages 1 to 3 of SOFT's pyramid, either SOFT's own or
/// another; `attn` of a TransformerBlock.
class StageAttention : public torch::nn::Module {
 public:
  /// `name` is the path of `mha.attn`, or of `attn`, for the recorder.
  explicit StageAttention(std::string name) : name_(std::move(name)) {}
  /// Maps [B, n, channels] to [B, n, channels], prefix tokens included.
  virtual torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                Recorder* recorder) = 0;
  const std::string& layer() const { return name_; }

 private:
  std::string name_;
};

}  // namespace softscope
