#include "models/attention/PerformerAttention.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

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

TEST(PerformerAttention, IsTheMatrixOfItsFeaturesWithItsGradients) {
  torch::manual_seed(8);
  const auto random = [] { return torch::randn({2, 3, 50, 8}, torch::kFloat64).requires_grad_(); };
  const torch::Tensor query = random(), key = random(), value = random();
  const torch::Tensor projection = torch::randn({performerFeatures(8), 8}, torch::kFloat64);
  const torch::Tensor result =
      performerAttention(query, key, value, projection, "layer", {}, nullptr);
  const torch::Tensor scores = at::matmul(features(query, projection, {-1}),
                                          features(key, projection, {-1, -2}).transpose(-1, -2));
  const torch::Tensor expected = at::matmul(scores / scores.sum(-1, true), value);
  EXPECT_TRUE(at::allclose(result, expected, 1e-9, 1e-12));
  const torch::Tensor gradient = torch::randn_like(result);
  const auto gradients = torch::autograd::grad({result}, {query, key, value}, {gradient});
  const auto expectedGradients = torch::autograd::grad({expected}, {query, key, value}, {gradient});
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    EXPECT_GT(expectedGradients[i].abs().max().item<double>(), 1e-3);
    EXPECT_TRUE(at::allclose(gradients[i], expectedGradients[i], 1e-7, 1e-10)) << i;
  }
}

}  // namespace
}  // namespace softscope
