#pragma once

#include "core/model/Recorder.h"
#include "models/layers/ConvolutionChain.h"

#include <string>

namespace softscope {

struct EfficientVitAttentionOptions {
  std::string name;  ///< the module's path, for the recorder
  int channels = 0;
  int headWidth = 0;
  double epsilon = 1e-15;  ///< added to what a row is divided by
  double normEpsilon = 1e-5;
};

/// `context_module.main`, multi-scale linear attention: half of the heads attend with queries, keys
/// and values as they are projected, half with what a 5 x 5 convolution aggregates of their
/// neighbourhoods. There are no positions.
class EfficientVitAttentionImpl : public torch::nn::Module {
 public:
  explicit EfficientVitAttentionImpl(const EfficientVitAttentionOptions& options);
  /// [B, C, H, W] -> map plus what its attention adds.
  torch::Tensor forward(const torch::Tensor& map, Recorder* recorder);

 private:
  EfficientVitAttentionOptions options_;
  NormedConvolution queryKeyValue_{nullptr};
  Convolution neighbours_{nullptr};
  Convolution mixture_{nullptr};
  NormedConvolution projection_{nullptr};
};
TORCH_MODULE(EfficientVitAttention);

}  // namespace softscope
