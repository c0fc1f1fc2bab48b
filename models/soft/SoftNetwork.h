#pragma once

#include "models/identify/Family.h"
#include "models/layers/Layers.h"
#include "models/soft/SoftAttention.h"

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// Epsilon of the norms of the last stage and behind it; no weight tells it.
constexpr double softLastEpsilon = 1e-6;

/// Sizes of a SOFT pyramid. The published names and shapes determine all of them except the heads
/// of the last stage.
struct SoftConfiguration {
  static constexpr int stages = 4;

  std::array<int, stages> channels{};
  std::array<int, stages> heads{};
  std::array<int, stages> depths{};
  std::array<int, 3> ratios{8, 4, 2};
  std::array<int, 3> convolutions{9, 5, 3};
  /// Ratio of hidden width to channels in the two kinds of block.
  std::array<int, stages> hidden{};
  /// Entries of each position table, the class token's included.
  std::array<int, stages> positions{3136, 784, 196, 50};
  int stem = 32;
  int classes = 0;
  bool queryBias = true;
  SoftMechanism mechanism = SoftMechanism::Soft;
  /// True if landmarks are means of queries, which have no parameters.
  bool pooledLandmarks = false;
  /// True if the ratios of such landmarks had to be assumed.
  bool ratiosAssumed = false;
  LandmarkChoice landmarks = {};
  int newtonSteps = publishedNewtonSteps;  ///< of the inverse; no weight tells them
};

/// Creates the attention of a block in stage `stage` (from 0) whose `mha.attn` has the path `name`.
using StageAttentionMaker =
    std::function<std::shared_ptr<StageAttention>(std::size_t stage, const std::string& name)>;

/// Returns a maker of SOFT's own attention.
StageAttentionMaker softAttention(const SoftConfiguration& configuration);

/// A block of stages 1 to 3: x = norm1(x + mha(x)); x = norm2(x + ff2(gelu(ff1(x)))).
class SoftBlockImpl : public torch::nn::Module {
 public:
  SoftBlockImpl(std::shared_ptr<StageAttention> attention, int channels, int hidden);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);

 private:
  std::shared_ptr<StageAttention> attention_;
  LayerNorm norm1_{nullptr};
  LayerNorm norm2_{nullptr};
  Linear expand_{nullptr};
  Linear contract_{nullptr};
  DropPath attentionDrop_{nullptr};
  DropPath mlpDrop_{nullptr};
};
TORCH_MODULE(SoftBlock);

/// A block of stage 4: a standard pre-norm transformer block.
class SoftLastBlockImpl : public torch::nn::Module {
 public:
  SoftLastBlockImpl(const std::string& name, int channels, int heads, int hidden, bool queryBias);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);

 private:
  torch::Tensor attend(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);

  std::string attentionName_;
  int heads_;
  LayerNorm norm1_{nullptr};
  LayerNorm norm2_{nullptr};
  Linear query_{nullptr};
  Linear keyValue_{nullptr};
  Linear projection_{nullptr};
  Linear expand_{nullptr};
  Linear contract_{nullptr};
  DropPath attentionDrop_{nullptr};
  DropPath mlpDrop_{nullptr};
};
TORCH_MODULE(SoftLastBlock);

/// The whole pyramid, under the published parameter names, with SOFT's attention or another.
class SoftNetwork final : public NetworkModule {
 public:
  explicit SoftNetwork(const SoftConfiguration& configuration);
  SoftNetwork(const SoftConfiguration& configuration, const StageAttentionMaker& makeAttention);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  struct ConvolutionAndNorm {
    Convolution convolution{nullptr};
    BatchNorm norm{nullptr};
  };

  void addPatchEmbedding(int stage);
  ConvolutionAndNorm addConvolution(Group& group, int index, const ConvolutionOptions& options);
  torch::Tensor embed(int stage, const torch::Tensor& map) const;
  /// Returns the position table of a stage, resized to the grid: [1, n, C].
  torch::Tensor positions(int stage, const TokenGrid& grid) const;
  torch::Tensor classify(const torch::Tensor& map, Recorder* recorder);

  SoftConfiguration configuration_;
  std::array<std::vector<ConvolutionAndNorm>, SoftConfiguration::stages> embeddings_;
  std::array<torch::Tensor, SoftConfiguration::stages> positions_;
  std::array<std::vector<SoftBlock>, 3> blocks_;
  std::vector<SoftLastBlock> lastBlocks_;
  torch::Tensor classToken_;
  LayerNorm norm_{nullptr};
  Linear head_{nullptr};
};

}  // namespace softscope
