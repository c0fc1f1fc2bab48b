#pragma once

#include "core/network/Recorder.h"
#include "models/layers/Layers.h"
#include "models/layers/PairRotation.h"

#include <string>

namespace softscope {

struct RalaAttentionOptions {
  std::string name;  ///< the module's path, for the recorder
  int channels = 0;
  int heads = 0;
  /// True for rank-augmented linear attention, false for the softmax of the same queries and keys.
  bool linear = true;
};

/// `attn`: proj((A V + lepe(V)) * o), where o is projected like q, k and v, and `lepe` is a 5 x 5
/// convolution with a filter for each channel. Queries and keys are rotated.
///
/// For linear attention, A is that of rotatedLinearAttention() with keys k^_j n softmax_j(mean(q^)
/// k^_j / sqrt(d)), weighted by the mean query.
class RalaAttentionImpl : public torch::nn::Module {
 public:
  explicit RalaAttentionImpl(const RalaAttentionOptions& options);
  /// Maps [B, C, H, W] to [B, C, H, W].
  torch::Tensor forward(const torch::Tensor& map, const PairAngles& angles, Recorder* recorder);
  const std::string& layer() const { return options_.name; }

 private:
  torch::Tensor attend(const torch::Tensor& query, const torch::Tensor& key,
                       const torch::Tensor& value, const PairAngles& angles, const TokenGrid& grid,
                       Recorder* recorder) const;
  AttentionDescription describe(const TokenGrid& grid) const;

  RalaAttentionOptions options_;
  Convolution parts_{nullptr};
  Convolution positions_{nullptr};
  Convolution projection_{nullptr};
};
TORCH_MODULE(RalaAttention);

}  // namespace softscope
