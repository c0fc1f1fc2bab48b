#pragma once

#include "core/network/Recorder.h"
#include "models/identify/Family.h"
#include "models/layers/ConvolutionChain.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/Layers.h"
#include "models/layers/PairRotation.h"

#include <string>
#include <vector>

namespace softscope {

/// Epsilon of the norms of published networks.
constexpr double milaNormEpsilon = 1e-5;

struct MilaAttentionOptions {
  std::string name;  ///< the module's path, for the recorder
  int channels = 0;
  int heads = 0;
  TokenGrid grid;  ///< grid of the table of rotations
  bool bias = true;
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

/// Side of a first-stage token in pixels of the picture.
constexpr int milaPatch = 4;

struct MilaStageConfiguration {
  int channels = 0;
  int heads = 0;
  int depth = 0;
  int hidden = 0;  ///< inside the blocks' mlp
  /// Channels inside the convolutions that lead to the next stage; 0 for the last stage.
  int downsampleHidden = 0;
  TokenGrid grid;  ///< grid of its tables of rotations
};

/// Sizes of a MILA. Names and shapes determine all of them except the heads.
struct MilaConfiguration {
  std::vector<MilaStageConfiguration> stages;
  bool queryBias = true;  ///< of queries and keys
  int stemChannels = 0;
  int stemHidden = 0;
  int classes = 0;
};

/// A block in the form of Mamba's: linear attention instead of its state space, with a projection,
/// a convolution and a gate.
class MilaBlockImpl : public torch::nn::Module {
 public:
  MilaBlockImpl(const MilaAttentionOptions& attention, int hidden);
  /// Maps [B, n, C] to [B, n, C].
  torch::Tensor forward(const torch::Tensor& tokens, Recorder* recorder);

 private:
  /// Returns x plus a convolution of x, which gives tokens their positions.
  torch::Tensor addPositions(const torch::Tensor& tokens, const Convolution& convolution) const;
  torch::Tensor attend(const torch::Tensor& tokens, Recorder* recorder);

  TokenGrid grid_;
  Convolution positions1_{nullptr};
  LayerNorm norm1_{nullptr};
  Linear input_{nullptr};
  Linear gate_{nullptr};
  Convolution convolution_{nullptr};
  MilaAttention attention_{nullptr};
  Linear output_{nullptr};
  Convolution positions2_{nullptr};
  LayerNorm norm2_{nullptr};
  Linear expand_{nullptr};
  Linear contract_{nullptr};
};
TORCH_MODULE(MilaBlock);

/// The patch embedding of MILA, `patch_embed`, which networks of its kind share.
class MilaStemImpl : public torch::nn::Module {
 public:
  MilaStemImpl(int channels, int hidden, int outputs);
  /// Maps a picture [B, 3, H, W] to [B, outputs, H / 4, W / 4].
  torch::Tensor forward(const torch::Tensor& picture);

 private:
  NormedConvolution first_{nullptr};
  ConvolutionChain residual_{nullptr};
  ConvolutionChain last_{nullptr};
};
TORCH_MODULE(MilaStem);

/// Creates the convolutions between two stages, `downsample.conv`.
ConvolutionChain milaDownsample(int inputs, int hidden, int outputs);

/// MILA under the published parameter names.
class MilaNetwork final : public NetworkModule {
 public:
  explicit MilaNetwork(const MilaConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  struct Stage {
    std::vector<MilaBlock> blocks;
    ConvolutionChain downsample{nullptr};
  };

  Stage makeStage(std::size_t index);

  MilaConfiguration configuration_;
  MilaStem stem_{nullptr};
  std::vector<Stage> stages_;
  LayerNorm norm_{nullptr};
  Linear head_{nullptr};
};

}  // namespace softscope
