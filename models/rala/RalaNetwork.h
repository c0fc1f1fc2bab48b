#pragma once

#include "core/network/Recorder.h"
#include "models/identify/Family.h"
#include "models/layers/Layers.h"
#include "models/layers/PairRotation.h"

#include <string>
#include <vector>

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

struct RalaStageConfiguration {
  int channels = 0;
  int heads = 0;
  int depth = 0;
  int hidden = 0;  ///< inside the blocks' mlp
  /// True if layer scales multiply what a block adds.
  bool layerScale = true;
  /// For each block: true for rank-augmented linear attention, false for softmax.
  std::vector<bool> linear;
};

/// Sizes of a RAVLT. Names and shapes determine all of them, except which blocks are linear.
struct RalaConfiguration {
  std::vector<RalaStageConfiguration> stages;
  int stemChannels = 0;
  int projection = 0;  ///< channels after the last stage
  int classes = 0;
};

/// x += pos(x); x += gamma_1 attn(norm1(x)); x += gamma_2 ffn(norm2(x)), on maps.
class RalaBlockImpl : public torch::nn::Module {
 public:
  RalaBlockImpl(const RalaAttentionOptions& attention, const RalaStageConfiguration& sizes);
  torch::Tensor forward(const torch::Tensor& map, const PairAngles& angles, Recorder* recorder);

 private:
  torch::Tensor mlp(const torch::Tensor& map);

  Convolution positions_{nullptr};
  LayerNorm norm1_{nullptr};
  RalaAttention attention_{nullptr};
  LayerNorm norm2_{nullptr};
  Convolution expand_{nullptr};
  Convolution local_{nullptr};
  Convolution contract_{nullptr};
  torch::Tensor gamma1_;
  torch::Tensor gamma2_;
};
TORCH_MODULE(RalaBlock);

/// RAVLT under the published parameter names.
class RalaNetwork final : public NetworkModule {
 public:
  explicit RalaNetwork(const RalaConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  /// A convolution and its norm, registered side by side.
  struct Pair {
    Convolution convolution{nullptr};
    BatchNorm norm{nullptr};

    torch::Tensor forward(const torch::Tensor& map);
  };
  struct Stage {
    std::vector<RalaBlock> blocks;
    torch::Tensor rates;  ///< each occurs twice, for both channels of a pair
    Pair downsample;
  };

  void addPatchEmbedding(const RalaConfiguration& configuration);
  Stage makeStage(const RalaConfiguration& configuration, std::size_t index);
  torch::Tensor embed(const torch::Tensor& picture);

  std::vector<Pair> stem_;
  std::vector<Stage> stages_;
  Pair projection_;
  Convolution head_{nullptr};
};

}  // namespace softscope
