#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

namespace softscope {

/// Divides the last dimension by the root of its mean square, and multiplies by `weight`
/// [channels].
class RmsNormImpl : public torch::nn::Module {
 public:
  RmsNormImpl(int channels, double epsilon) : epsilon_(epsilon) {
    weight = register_parameter("weight", torch::empty({channels}));
  }
  torch::Tensor forward(const torch::Tensor& x) const { return x * scaleOf(x) * weight; }
  /// Returns what multiplies each row of x before the weight.
  torch::Tensor scaleOf(const torch::Tensor& x) const {
    return (x.square().mean(-1, true) + epsilon_).rsqrt();
  }

  torch::Tensor weight;

 private:
  double epsilon_;
};
TORCH_MODULE(RmsNorm);

}  // namespace softscope
