#pragma once

#include "models/identify/Family.h"
#include "models/layers/Layers.h"
#include "models/preresnet/NonLocalBlock.h"

#include <torch/types.h>

#include <vector>

namespace softscope {

struct ResidualBlockOptions {
  int inputs = 0;
  int outputs = 0;
  int bottleneck =
      0;  ///< channels of the 3 x 3 convolution between two of 1 x 1; 0 for a basic block
  int stride = 1;
};

/// A residual block with pre-activation: a norm and a ReLU precede each convolution. A basic block
/// has `conv1` and `conv2` of 3 x 3; a bottleneck has 1 x 1, 3 x 3 and 1 x 1, with `conv3`. If the
/// shape changes, `shortcut` is a 1 x 1 convolution of the first activation.
class ResidualBlockImpl : public torch::nn::Module {
 public:
  explicit ResidualBlockImpl(const ResidualBlockOptions& options);
  /// Maps [B, inputs, H, W] to [B, outputs, ceil(H / stride), ceil(W / stride)].
  torch::Tensor forward(const torch::Tensor& x);
  /// Rescales the convolutions that initialise() drew to the deviation of He et al.
  void rescaleInitialisation();

 private:
  BatchNorm norm1_{nullptr};
  Convolution convolution1_{nullptr};
  BatchNorm norm2_{nullptr};
  Convolution convolution2_{nullptr};
  BatchNorm norm3_{nullptr};
  Convolution convolution3_{nullptr};
  Convolution shortcut_{nullptr};
};
TORCH_MODULE(ResidualBlock);

struct PreresnetStageConfiguration {
  int channels = 0;
  int bottleneck = 0;  ///< channels of the 3 x 3 convolutions of bottlenecks; 0 for basic blocks
  int depth = 0;
  /// Indices of the residual blocks that a non-local block follows, and the channels it embeds in.
  std::vector<int> nonLocal;
  int embedding = 0;

  bool operator==(const PreresnetStageConfiguration&) const = default;
};

/// Sizes of a pre-activation ResNet with non-local blocks. Names and shapes determine all of them
/// except the heads.
struct PreresnetConfiguration {
  /// Returns false for a plain network, which has no attention.
  bool hasNonLocal() const;

  int stemChannels = 0;
  int stemKernel = 3;
  std::vector<PreresnetStageConfiguration> stages;
  int heads = 4;
  /// True if a batch norm follows the non-local blocks' W.
  bool nonLocalNorm = true;
  int classes = 0;
  NonLocalMechanism mechanism;

  bool operator==(const PreresnetConfiguration&) const = default;
};

/// `stageS`, counted from 1: residual blocks `blockI`, and `nonlocalI` after `blockI`.
class PreresnetStageImpl : public torch::nn::Module {
 public:
  PreresnetStageImpl(const PreresnetConfiguration& configuration, int stage);
  torch::Tensor forward(const torch::Tensor& map, Recorder* recorder);
  void rescaleInitialisation();

 private:
  std::vector<ResidualBlock> blocks_;
  std::vector<NonLocalBlock> nonLocal_;  ///< one per residual block, empty if it has none
};
TORCH_MODULE(PreresnetStage);

/// PreResNet or WRN with non-local blocks: `stem`, the stages, each of which but the first halves
/// the grid, `norm` and `head`.
class PreresnetNetwork final : public NetworkModule {
 public:
  explicit PreresnetNetwork(const PreresnetConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& pictures, Recorder* recorder) override;
  /// Takes any size: padding leaves every convolution at least one pixel.
  void checkInputSize(int, int) const override {}
  /// Rescales what initialise() drew to the initial values of these networks: convolutions as in He
  /// et al., non-local blocks as in NonLocalBlockImpl::rescaleInitialisation().
  void rescaleInitialisation();

 private:
  Convolution stem_{nullptr};
  std::vector<PreresnetStage> stages_;
  BatchNorm norm_{nullptr};
  Linear head_{nullptr};
};

}  // namespace softscope
