#include "models/structure/StructureLayers.h"

#include <gtest/gtest.h>
#include <torch/nn/module.h>
#include <torch/types.h>

namespace softscope {
namespace {

/// A norm of 6 channels with the weights of `gamma` and `beta`.
torch::Tensor normed(const torch::Tensor& x, NormKind kind, double epsilon) {
  torch::nn::Module network;
  StructureNorm norm(network, "n", {"gamma", "beta"}, 6, epsilon, kind);
  torch::NoGradGuard noGradients;
  for (torch::Tensor& parameter : network.parameters()) {
    parameter.copy_(torch::arange(1, 7, torch::kFloat) / 4);
  }
  return norm.forward(x);
}

TEST(StructureNorm, ComputesWhatItsKindSays) {
  torch::manual_seed(2);
  const torch::Tensor x = torch::randn({2, 3, 6}) + 0.5;
  const torch::Tensor weight = torch::arange(1, 7, torch::kFloat) / 4;
  const torch::Tensor centred = x - x.mean(-1, true);
  const torch::Tensor squares = centred.square().sum(-1, true);
  const double epsilon = 0.1;
  const auto expect = [&](NormKind kind, const torch::Tensor& y) {
    EXPECT_TRUE(normed(x, kind, epsilon).allclose(y * weight + weight, 1e-4, 1e-5));
  };
  expect(NormKind::Layer, centred / (squares / 6 + epsilon).sqrt());
  expect(NormKind::Deviation, centred / ((squares / 5).sqrt() + epsilon));
  expect(NormKind::Affine, x);
  const torch::Tensor rms = x / (x.square().mean(-1, true) + epsilon).sqrt();
  EXPECT_TRUE(StructureNorm(6, epsilon, NormKind::Rms).forward(x).allclose(rms, 1e-4, 1e-5));
}

}  // namespace
}  // namespace softscope
