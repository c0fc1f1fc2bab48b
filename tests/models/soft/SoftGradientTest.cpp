#include "models/Trainable.h"
#include "models/attention/SoftKernel.h"
#include "models/cpu/HeadConvolution.h"
#include "models/cpu/SmallMatrices.h"

#include <gtest/gtest.h>
#include <torch/autograd.h>

namespace softscope::test {
namespace {

torch::TensorOptions inDouble() {
  return torch::dtype(torch::kFloat64);
}

torch::Tensor gradientOf(const torch::Tensor& scalar, const torch::Tensor& input) {
  return torch::autograd::grad({scalar}, {input})[0];
}

double relativeDifference(const torch::Tensor& a, const torch::Tensor& b) {
  return ((a - b).norm() / b.norm()).item<double>();
}

torch::Tensor landmarks(int batch, int heads, int count, double spread) {
  torch::manual_seed(1);
  return (spread * torch::randn({batch, heads, count, 6}, inDouble())).requires_grad_();
}

TEST(NewtonRaphsonSteps, AreTheLoopWithItsGradient) {
  for (const int m : {3, 7, 16, 25}) {
    const torch::Tensor points = landmarks(2, 2, m, 0.8);
    const torch::Tensor weights = torch::randn({2, 2, m, m}, inDouble());
    const torch::Tensor kernel = gaussianKernel(points, points);
    const auto start = [](const torch::Tensor& of) { return 0.3 / of.sum({-2, -1}, true); };
    torch::Tensor loop = start(kernel) * kernel;
    for (int step = 0; step < 6; ++step) {
      loop = 2 * loop - at::matmul(at::matmul(loop, kernel), loop);
    }
    const torch::Tensor expected = gradientOf((loop * weights).sum(), points);
    const torch::Tensor again = gaussianKernel(points, points);
    const torch::Tensor ours = newtonRaphsonSteps(start(again), again, 6);
    EXPECT_LT(relativeDifference(ours, loop), 1e-12) << m;
    EXPECT_LT(relativeDifference(gradientOf((ours * weights).sum(), points), expected), 1e-10) << m;
  }
}

TEST(SoftNormInverse, HasTheGradientOfFiniteDifferences) {
  const torch::Tensor points = landmarks(1, 2, 6, 0.9);
  const torch::Tensor weights = torch::randn({1, 2, 6, 6}, inDouble());
  const auto value = [&](const torch::Tensor& at) {
    const torch::Tensor kernel = gaussianKernel(at, at);
    return (normaliseInverse(invertSoftNorm(kernel), kernel) * weights).sum();
  };
  const torch::Tensor gradient = gradientOf(value(points), points);
  const torch::NoGradGuard noGradient;
  torch::Tensor differences = torch::zeros_like(points);
  constexpr double width = 1e-5;
  for (std::int64_t i = 0; i < points.numel(); ++i) {
    torch::Tensor moved = points.detach().clone();
    moved.view({-1})[i] += width;
    const double above = value(moved).item<double>();
    moved.view({-1})[i] -= 2 * width;
    differences.view({-1})[i] = (above - value(moved).item<double>()) / (2 * width);
  }
  EXPECT_LT(relativeDifference(gradient, differences), 1e-6);
}

TEST(SoftInverse, HasTheGradientOfAnExactInverse) {
  const torch::Tensor kernel =
      gaussianKernel(landmarks(2, 2, 5, 1.5), landmarks(2, 2, 5, 1.5)).detach().requires_grad_();
  const torch::Tensor weights = torch::randn({2, 2, 5, 5}, inDouble());
  const torch::Tensor gradient = gradientOf((invertSoft(kernel) * weights).sum(), kernel);
  const torch::Tensor damped = kernel + 0.01 * torch::eye(5, inDouble());
  const torch::Tensor expected = gradientOf((at::linalg_inv(damped) * weights).sum(), kernel);
  EXPECT_LT(relativeDifference(gradient, expected), 1e-6);
}

TEST(HeadConvolution, IsTheConvolutionOfEveryChannelWithItsHeadsFilter) {
  torch::manual_seed(2);
  const TokenGrid grid{5, 7};
  for (const int channels : {4, 32, 44}) {
    for (const int side : {3, 5, 9}) {
      const torch::Tensor value = torch::randn({2, 35, 3 * channels}, inDouble()).requires_grad_();
      const torch::Tensor filters = torch::randn({3, 1, side, side}, inDouble()).requires_grad_();
      const torch::Tensor weights = torch::randn({2, 3, 35, channels}, inDouble());
      const torch::Tensor maps =
          value.transpose(1, 2).reshape({2, 3 * channels, grid.height, grid.width});
      const torch::Tensor expected =
          at::conv2d(maps, filters.repeat_interleave(channels, 0), {}, 1, side / 2, 1, 3 * channels)
              .view({2, 3, channels, 35})
              .transpose(2, 3);
      const torch::Tensor ours =
          convolveHeads(value.view({2, 35, 3, channels}).transpose(1, 2), filters, grid);
      EXPECT_LT(relativeDifference(ours, expected), 1e-12);
      const auto gradients = [&](const torch::Tensor& result) {
        return torch::autograd::grad({(result * weights).sum()}, {value, filters});
      };
      const auto ourGradients = gradients(ours);
      const auto expectedGradients = gradients(expected);
      EXPECT_LT(relativeDifference(ourGradients[0], expectedGradients[0]), 1e-12);
      EXPECT_LT(relativeDifference(ourGradients[1], expectedGradients[1]), 1e-12);
    }
  }
}

/// Training takes other kernels than inference; what they compute must be the same.
TEST(SoftNetwork, LearnsWhatItInfers) {
  for (const std::string name : {"soft_nano", "soft_norm_nano"}) {
    const auto network = freshNetwork(findTrainable(name), 4, 3);
    network->eval();
    torch::manual_seed(4);
    const torch::Tensor pictures = torch::randn({2, 3, 64, 96});
    const torch::Tensor learning = network->forward(pictures, nullptr);
    EXPECT_TRUE(learning.requires_grad());
    for (torch::Tensor& parameter : network->parameters()) parameter.set_requires_grad(false);
    const torch::Tensor inferred = network->forward(pictures, nullptr);
    EXPECT_FALSE(inferred.requires_grad());
    EXPECT_LT(relativeDifference(learning, inferred), 1e-4) << name;
  }
}

TEST(SoftNetwork, NormalisesBatchesAndRemembersTheirStatistics) {
  const auto network = freshNetwork(findTrainable("soft_nano"), 4, 3);
  const torch::Tensor mean = network->named_buffers()["patch_embed1.proj.1.running_mean"];
  EXPECT_EQ(mean.abs().sum().item<float>(), 0);
  network->forward(torch::randn({2, 3, 32, 32}), nullptr);
  EXPECT_GT(mean.abs().sum().item<float>(), 0);
}

}  // namespace
}  // namespace softscope::test
