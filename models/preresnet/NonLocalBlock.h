#pragma once

#include "core/network/Recorder.h"
#include "models/attention/NonLocalAttention.h"
#include "models/layers/Layers.h"

#include <optional>
#include <string>

namespace softscope {

struct NonLocalBlockOptions {
  std::string name;  ///< the module's path, for the recorder
  int channels = 0;
  /// Channels of theta, phi and g, all heads together: C in Cho et al., C / 2 in Wang et al.
  int embedding = 0;
  int heads = 1;
  /// True if a batch norm follows W.
  bool norm = true;
  NonLocalMechanism mechanism;
  /// Scale of the products under a softmax: 1 for the embedded Gaussian of Wang et al.; if empty,
  /// C'^(-1/2), where C' is the width of a head.
  std::optional<double> softmaxScale;
};

/// x + W(A(theta(x), phi(x)) g(x)), where theta, phi, g and W are 1 x 1 convolutions. The names are
/// those in implementations of Wang et al.: `theta`, `phi`, `g`, and `W`, or `W.0` and its norm
/// `W.1`.
class NonLocalBlockImpl : public torch::nn::Module {
 public:
  explicit NonLocalBlockImpl(const NonLocalBlockOptions& options);
  /// Maps [B, C, H, W] to [B, C, H, W]; records the first picture of a batch.
  torch::Tensor forward(const torch::Tensor& map, Recorder* recorder);
  /// Turns what initialise() drew into the identity, with embeddings of a size that allows
  /// learning: a standard deviation of 0.01 for softmax, and that of He et al. for the others,
  /// which suits each best (Cho et al., Table 2).
  void rescaleInitialisation();

 private:
  NonLocalBlockOptions options_;
  Convolution theta_{nullptr};
  Convolution phi_{nullptr};
  Convolution g_{nullptr};
  Convolution output_{nullptr};
  BatchNorm norm_{nullptr};
};
TORCH_MODULE(NonLocalBlock);

}  // namespace softscope
