#pragma once

#include "core/network/Recorder.h"
#include "models/layers/ConvolutionChain.h"

#include <string>

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

}  // namespace softscope
