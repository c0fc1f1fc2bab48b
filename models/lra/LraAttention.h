#pragma once

#include "core/network/Recorder.h"
#include "models/layers/Layers.h"

#include <string>

namespace softscope {

/// The attentions of LRA's models.
enum class LraMechanism { Softmax, Elu, Linformer, Performer, Nystrom };

struct LraAttentionOptions {
  LraMechanism mechanism = LraMechanism::Softmax;
  std::string name;  ///< the module's path, for the recorder
  int channels = 0;
  int heads = 0;
  int inner = 0;  ///< channels of all heads
  int tokens = 0;
  int projected = 0;  ///< rows of Linformer's E, or Performer's random features
  int filter = 0;     ///< length of Nyströmformer's filters; 0 if there are none
  int landmarks = 0;  ///< runs of tokens whose means are Nyströmformer's landmarks
};

/// `mha`: attention of a sequence of pixels, some of which are masked: nothing attends to them.
class LraAttentionImpl : public torch::nn::Module {
 public:
  explicit LraAttentionImpl(const LraAttentionOptions& options);
  /// Maps tokens [B, n, C] to [B, n, C]. `mask` [B, n] is 0 for masked tokens, and 1 for others.
  torch::Tensor forward(const torch::Tensor& tokens, const torch::Tensor& mask,
                        const TokenGrid& grid, Recorder* recorder);
  const std::string& layer() const { return options_.name; }

 private:
  struct Projected;
  torch::Tensor attend(const Projected& in, const AttentionDescription& description,
                       Recorder* recorder) const;
  /// Takes masked queries and keys as zeros if `clearsMasked`.
  torch::Tensor attendBySoftmax(const Projected& in, bool clearsMasked,
                                AttentionDescription description, Recorder* recorder) const;
  torch::Tensor attendThroughLandmarks(const Projected& in, const AttentionDescription& description,
                                       Recorder* recorder) const;

  LraAttentionOptions options_;
  Linear query_{nullptr};
  Linear key_{nullptr};
  Linear value_{nullptr};
  Linear output_{nullptr};
  torch::Tensor projection_;  ///< E, or the random features
  torch::Tensor filters_;     ///< [heads, 1, length, 1]
};
TORCH_MODULE(LraAttention);

}  // namespace softscope
