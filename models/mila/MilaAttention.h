#pragma once

#include "core/network/Recorder.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/Layers.h"
#include "models/layers/PairRotation.h"

#include <string>

namespace softscope {

struct MilaAttentionOptions {
  std::string name;  ///< the module's path, for the recorder
  int channels = 0;
  int heads = 0;
  TokenGrid grid;  ///< grid of the table of rotations
};

/// `attn`: rotated linear attention that uses its input as values, and beside it `lepe`, a 3 x 3
/// convolution of V with a filter for each channel.
class MilaAttentionImpl : public torch::nn::Module {
 public:
  explicit MilaAttentionImpl(const MilaAttentionOptions& options);
  /// Maps tokens [B, n, C] to both terms, [B, heads, n, d], without the gate.
  HeadTerms forward(const torch::Tensor& tokens, Recorder* recorder);
  const MilaAttentionOptions& options() const { return options_; }

 private:
  /// Returns the stored cosines and sines, which are for all channels, head by head.
  PairAngles angles() const;
  AttentionDescription describe() const;

  MilaAttentionOptions options_;
  Linear queryKey_{nullptr};
  Convolution positions_{nullptr};
  torch::Tensor rotations_;
};
TORCH_MODULE(MilaAttention);

}  // namespace softscope
