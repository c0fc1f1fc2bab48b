#pragma once

#include "models/identify/Family.h"
#include "models/layers/Layers.h"
#include "models/preresnet/NonLocalBlock.h"
#include "models/preresnet/PreresnetBlocks.h"

#include <string>
#include <vector>

namespace softscope {

struct PreresnetStageConfiguration {
  int channels = 0;
  int bottleneck = 0;  ///< channels of the 3 x 3 convolutions of bottlenecks; 0 for basic blocks
  int depth = 0;
  /// Residual blocks that a non-local block follows, and the channels it embeds in.
  std::vector<int> nonLocal;
  int embedding = 0;

  bool operator==(const PreresnetStageConfiguration&) const = default;
};

/// Sizes of a pre-activation ResNet with non-local blocks; names and shapes tell all of them except
/// the heads.
struct PreresnetConfiguration {
  /// False for a plain network, which has no attention.
  bool hasNonLocal() const;

  int stemChannels = 0;
  int stemKernel = 3;
  std::vector<PreresnetStageConfiguration> stages;
  int heads = 4;
  /// Whether a batch norm follows the non-local blocks' W.
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
  std::vector<NonLocalBlock> nonLocal_;  ///< one a residual block, empty where there is none
};
TORCH_MODULE(PreresnetStage);

/// PreResNet or WRN with non-local blocks: `stem`, the stages, of which every one but the first
/// halves the grid, `norm` and `head`.
class PreresnetNetwork final : public NetworkModule {
 public:
  explicit PreresnetNetwork(const PreresnetConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& pictures, Recorder* recorder) override;
  /// Takes any size: padding leaves every convolution one pixel at least.
  void checkInputSize(int, int) const override {}
  /// Brings what initialise() drew to what these networks start from: convolutions as large as He
  /// et al. make them, non-local blocks as NonLocalBlockImpl::rescaleInitialisation() says.
  void rescaleInitialisation();

 private:
  Convolution stem_{nullptr};
  std::vector<PreresnetStage> stages_;
  BatchNorm norm_{nullptr};
  Linear head_{nullptr};
};

}  // namespace softscope
