#pragma once

#include "core/network/Recorder.h"
#include "models/efficientvit/EfficientVitConfiguration.h"
#include "models/identify/Family.h"
#include "models/layers/ConvolutionChain.h"

#include <string>
#include <vector>

namespace softscope {

struct EfficientVitAttentionOptions {
  std::string name;  ///< the module's path, for the recorder
  int channels = 0;
  int headWidth = 0;
  double epsilon = 1e-15;  ///< added to the divisor of each row
  double normEpsilon = 1e-5;
};

/// `context_module.main`, multi-scale linear attention: half of the heads use queries, keys and
/// values as projected, the other half use neighbourhoods aggregated by a 5 x 5 convolution. There
/// are no positions.
class EfficientVitAttentionImpl : public torch::nn::Module {
 public:
  explicit EfficientVitAttentionImpl(const EfficientVitAttentionOptions& options);
  /// Maps [B, C, H, W] to the same shape, with the attention's output added.
  torch::Tensor forward(const torch::Tensor& map, Recorder* recorder);

 private:
  EfficientVitAttentionOptions options_;
  NormedConvolution queryKeyValue_{nullptr};
  Convolution neighbours_{nullptr};
  Convolution mixture_{nullptr};
  NormedConvolution projection_{nullptr};
};
TORCH_MODULE(EfficientVitAttention);

/// Options that all blocks of a network share.
struct EfficientVitBlockOptions {
  std::string name;  ///< the module's path, for the recorder
  EfficientVitBlockConfiguration sizes;
  int inputs = 0;
  int outputs = 0;
  /// 2 in the first block of a stage, which halves the grid and has no residual connection.
  int stride = 1;
  bool residual = true;
  EfficientVitNames names;
  int headWidth = 0;
};

/// A block of convolutions, or of attention and convolutions.
class EfficientVitBlockImpl : public torch::nn::Module {
 public:
  explicit EfficientVitBlockImpl(const EfficientVitBlockOptions& options);
  torch::Tensor forward(const torch::Tensor& map, Recorder* recorder);

 private:
  bool residual_;
  EfficientVitAttention attention_{nullptr};
  ConvolutionChain convolutions_{nullptr};
};
TORCH_MODULE(EfficientVitBlock);

/// EfficientViT under the authors' parameter names, or timm's.
class EfficientVitNetwork final : public NetworkModule {
 public:
  explicit EfficientVitNetwork(const EfficientVitConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  void addBlock(EfficientVitBlockOptions options);
  void addStages(const EfficientVitConfiguration& configuration);
  void addHead(const EfficientVitConfiguration& configuration);

  MapActivation activation_;
  MapPooling pooling_;
  NormedConvolution stem_{nullptr};
  std::vector<EfficientVitBlock> blocks_;
  NormedConvolution headConvolution_{nullptr};
  Linear headLinear_{nullptr};
  LayerNorm headNorm_{nullptr};
  Linear classifier_{nullptr};
};

}  // namespace softscope
