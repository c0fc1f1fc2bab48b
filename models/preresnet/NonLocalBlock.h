#pragma once

#include "core/model/Recorder.h"
#include "models/attention/NonLocalMechanism.h"
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
  /// Whether a batch norm follows W.
  bool norm = true;
  NonLocalMechanism mechanism;
  /// What products under a softmax are multiplied by: 1 for the embedded Gaussian of Wang et al.;
  /// C'^(-1/2), with C' the width of a head, where nothing is said.
  std::optional<double> softmaxScale;
};

/// x + W(A(theta(x), phi(x)) g(x)), where theta, phi, g and W are 1 x 1 convolutions. Names are
/// those that implementations of Wang et al. have: `theta`, `phi`, `g`, and `W`, or `W.0` and its
/// norm `W.1`.
class NonLocalBlockImpl : public torch::nn::Module {
 public:
  explicit NonLocalBlockImpl(const NonLocalBlockOptions& options);
  /// [B, C, H, W] -> [B, C, H, W]; records a batch's first picture.
  torch::Tensor forward(const torch::Tensor& map, Recorder* recorder);
  /// Makes what initialise() drew the identity, its embeddings of a size that lets it learn: with a
  /// deviation of 0.01 for softmax and as He et al. for the others, which suits each best (Cho et
  /// al., Table 2).
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
