#pragma once

#include "core/model/Recorder.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/Layers.h"
#include "models/layers/PairRotation.h"

#include <string>

namespace softscope {

struct MilaAttentionOptions {
  std::string name;  ///< the module's path, for the recorder
  int channels = 0;
  int heads = 0;
  TokenGrid grid;  ///< of the table of rotations
};

/// `attn`: rotated linear attention whose values are its input as it is, and beside it `lepe`, a
/// 3 x 3 convolution of V with a filter for each channel.
class MilaAttentionImpl : public torch::nn::Module {
 public:
  explicit MilaAttentionImpl(const MilaAttentionOptions& options);
  /// tokens [B, n, C] -> both terms, [B, heads, n, d], without the gate.
  HeadTerms forward(const torch::Tensor& tokens, Recorder* recorder);
  const MilaAttentionOptions& options() const { return options_; }

 private:
  /// The stored cosines and sines, which are of all channels, head by head.
  PairAngles angles() const;
  AttentionDescription describe() const;

  MilaAttentionOptions options_;
  Linear queryKey_{nullptr};
  Convolution positions_{nullptr};
  torch::Tensor rotations_;
};
TORCH_MODULE(MilaAttention);

}  // namespace softscope
