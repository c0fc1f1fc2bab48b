#include "models/layers/Layers.h"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

namespace softscope {
namespace {

/// The gradient with respect to x of weights times the norm's tokens [B, H W, C].
torch::Tensor gradientThroughTokens(BatchNormImpl& norm, const torch::Tensor& x,
                                    const torch::Tensor& weights) {
  const torch::Tensor input = x.detach().clone().requires_grad_();
  const torch::Tensor tokens = tokensOf(norm.forward(input)).contiguous();
  return torch::autograd::grad({(tokens * weights).sum()}, {input})[0];
}

// Tokens turn the gradient's layout, for which LibTorch's own kernel is wrong.
TEST(BatchNorm, HasTheGradientOfItsFormulaBehindTokens) {
  for (const bool training : {false, true}) {
    for (const auto type : {torch::kFloat64, torch::kFloat32}) {
      SCOPED_TRACE(std::string(training ? "training" : "evaluation") +
                   (type == torch::kFloat64 ? ", float64" : ", float32"));
      torch::manual_seed(1);
      BatchNorm norm(6);
      norm->weight.set_requires_grad(false).normal_();
      norm->bias.set_requires_grad(false).normal_();
      norm->runningMean.normal_();
      norm->runningVariance.uniform_(0.5, 2);
      norm->to(type);
      norm->train(training);
      const torch::Tensor x = torch::randn({2, 6, 4, 5}, type);
      const torch::Tensor weights = torch::randn({2, 20, 6}, type);
      const torch::Tensor input = x.clone().requires_grad_();
      const auto ofChannels = [](const torch::Tensor& t) { return t.view({1, 6, 1, 1}); };
      const torch::Tensor mean =
          training ? input.mean({0, 2, 3}, true) : ofChannels(norm->runningMean.clone());
      const torch::Tensor variance = training ? (input - mean).square().mean({0, 2, 3}, true)
                                              : ofChannels(norm->runningVariance.clone());
      const torch::Tensor whole =
          (input - mean) / (variance + 1e-5).sqrt() * ofChannels(norm->weight) +
          ofChannels(norm->bias);
      const torch::Tensor expected =
          torch::autograd::grad({(tokensOf(whole) * weights).sum()}, {input})[0];
      const torch::Tensor ours = gradientThroughTokens(*norm, x, weights);
      EXPECT_LT((ours - expected).norm().item<double>(), 1e-5 * expected.norm().item<double>());
    }
  }
}

// As residual networks do in training, of whose norms a ReLU takes the place.
TEST(BatchNorm, MayBeChangedInPlace) {
  torch::manual_seed(2);
  BatchNorm norm(3);
  norm->weight.set_requires_grad(false).fill_(2).set_requires_grad(true);
  norm->bias.set_requires_grad(false).zero_().set_requires_grad(true);
  norm->runningMean.zero_();
  norm->runningVariance.fill_(1);
  norm->train();
  const torch::Tensor x = torch::randn({2, 3, 4, 4});
  norm->forward(x).relu_().sum().backward();
  EXPECT_GT(norm->weight.grad().norm().item<double>(), 0);
  // Half of the values pass, each with a gradient of 1.
  EXPECT_NEAR(norm->bias.grad().mean().item<double>(), 16, 6);
  EXPECT_GT(norm->runningMean.abs().sum().item<double>(), 0) << "the batch counts";
}

}  // namespace
}  // namespace softscope
