#include "models/attention/PerformerAttention.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace softscope {
namespace {

/// phi(x) as in the paper's appendix, step by step.
torch::Tensor features(const torch::Tensor& x, const torch::Tensor& projection,
                       at::IntArrayRef dimensions) {
  const torch::Tensor scaled = x * std::pow(static_cast<double>(x.size(-1)), -0.25);
  const torch::Tensor products = at::matmul(scaled, projection.t());
  const torch::Tensor halfNorms =
      at::matmul(scaled.unsqueeze(-2), scaled.unsqueeze(-1)).squeeze(-1) / 2;
  const torch::Tensor exponents = products - halfNorms - products.amax(dimensions, true);
  return (exponents.exp() + 1e-4) / std::sqrt(static_cast<double>(projection.size(0)));
}

struct Inputs {
  torch::Tensor query;
  torch::Tensor key;
  torch::Tensor value;
  torch::Tensor projection;

  std::vector<torch::Tensor> learnt() const { return {query, key, value}; }
};

/// The same numbers in any precision, with products up to `scale` squared.
Inputs inputsOf(torch::ScalarType precision, double scale) {
  torch::manual_seed(8);
  const auto random = [&] {
    return (scale * torch::randn({2, 3, 50, 8}, torch::kFloat64)).to(precision).requires_grad_();
  };
  const torch::Tensor query = random(), key = random(), value = random();
  return {query, key, value,
          torch::randn({performerFeatures(8), 8}, torch::kFloat64).to(precision)};
}

torch::Tensor attended(const Inputs& in, LargestOver ofKeys = LargestOver::Head) {
  return performerAttention(in.query, in.key, in.value, in.projection, "layer", {}, nullptr,
                            ofKeys);
}

torch::Tensor attendedByMatrix(const Inputs& in, LargestOver ofKeys = LargestOver::Head) {
  const std::vector<std::int64_t> dimensions = ofKeys == LargestOver::AllHeads
                                                   ? std::vector<std::int64_t>{-1, -2, -3}
                                                   : std::vector<std::int64_t>{-1, -2};
  const torch::Tensor scores =
      at::matmul(features(in.query, in.projection, {-1}),
                 features(in.key, in.projection, dimensions).transpose(-1, -2));
  return at::matmul(scores / scores.sum(-1, true), in.value);
}

/// Of a sum of the results, each with a factor of its own.
std::vector<torch::Tensor> gradientsOf(const torch::Tensor& result, const Inputs& in) {
  torch::manual_seed(9);
  const torch::Tensor gradient = torch::randn(result.sizes(), torch::kFloat64).to(result.dtype());
  return torch::autograd::grad({result}, in.learnt(), {gradient});
}

void expectMatrix(const Inputs& in, const Inputs& exact, double relative, double absolute,
                  LargestOver ofKeys = LargestOver::Head) {
  const torch::Tensor result = attended(in, ofKeys);
  const torch::Tensor expected = attendedByMatrix(exact, ofKeys);
  EXPECT_TRUE(at::allclose(result.to(torch::kFloat64), expected, relative, absolute));
  const auto gradients = gradientsOf(result, in);
  const auto expectedGradients = gradientsOf(expected, exact);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    EXPECT_GT(expectedGradients[i].abs().max().item<double>(), 1e-3);
    EXPECT_TRUE(at::allclose(gradients[i].to(torch::kFloat64), expectedGradients[i], 100 * relative,
                             100 * absolute))
        << i << ": " << (gradients[i] - expectedGradients[i]).abs().max().item<double>();
  }
}

TEST(PerformerAttention, IsTheMatrixOfItsFeaturesWithItsGradients) {
  const Inputs in = inputsOf(torch::kFloat64, 1);
  expectMatrix(in, in, 1e-9, 1e-12);
}

TEST(PerformerAttention, IsThatInSinglePrecision) {
  expectMatrix(inputsOf(torch::kFloat32, 1), inputsOf(torch::kFloat64, 1), 1e-5, 1e-6);
}

TEST(PerformerAttention, TheLargestExponentOfKeysMayBeThatOfAllHeadsOfAPicture) {
  const Inputs in = inputsOf(torch::kFloat64, 1);
  expectMatrix(in, in, 1e-9, 1e-12, LargestOver::AllHeads);
  expectMatrix(inputsOf(torch::kFloat32, 1), in, 1e-5, 1e-6, LargestOver::AllHeads);
  const torch::Tensor difference = attended(in, LargestOver::AllHeads) - attended(in);
  EXPECT_GT(difference.abs().max().item<double>(), 1e-6) << "1e-4 is added to other numbers";
}

TEST(PerformerAttention, ExponentialsThatAreTooSmallCountAsNought) {
  const Inputs in = inputsOf(torch::kFloat32, 9), exact = inputsOf(torch::kFloat64, 9);
  const torch::Tensor least = features(exact.key, exact.projection, {-1, -2}).amin();
  ASSERT_LT(least.item<double>() * std::sqrt(double(performerFeatures(8))) - 1e-4, 1e-45);
  const torch::Tensor result = attended(in), expected = attendedByMatrix(exact);
  EXPECT_TRUE(at::allclose(result.to(torch::kFloat64), expected, 1e-4, 1e-4));
  for (const torch::Tensor& gradient : gradientsOf(result, in)) {
    EXPECT_TRUE(gradient.isfinite().all().item<bool>());
  }
}

TEST(PerformerAttention, WhatIsNoNumberStaysNone) {
  Inputs in = inputsOf(torch::kFloat32, 1);
  const torch::NoGradGuard noGradient;
  in.query[0][1][7][3] = std::numeric_limits<float>::quiet_NaN();
  torch::Tensor isNone = attended(in).isnan();
  EXPECT_TRUE(isNone[0][1][7].all().item<bool>());
  EXPECT_EQ(isNone.sum().item<int>(), 8) << "a query's is its row's alone";
  in.key[1][2][0][0] = std::numeric_limits<float>::infinity();
  isNone = attended(in).isnan();
  EXPECT_TRUE(isNone[1][2].all().item<bool>());
  EXPECT_EQ(isNone.sum().item<int>(), 8 + 50 * 8);
}

}  // namespace
}  // namespace softscope
