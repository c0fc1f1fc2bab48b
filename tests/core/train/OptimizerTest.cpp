#include "core/train/Optimizer.h"
#include "models/layers/Layers.h"

#include <gtest/gtest.h>

#include <cmath>

namespace softscope::test {
namespace {

/// A linear layer of two inputs and one output, all ones, with the gradients given.
Linear smallLayer(double weightGradient, double biasGradient) {
  Linear layer(2, 1);
  const torch::NoGradGuard noGradient;
  layer->weight.fill_(1);
  layer->bias.fill_(1);
  layer->weight.mutable_grad() = torch::full({1, 2}, weightGradient);
  layer->bias.mutable_grad() = torch::full({1}, biasGradient);
  return layer;
}

TEST(Optimizer, DecaysMatricesAndFiltersOnly) {
  EXPECT_TRUE(decays("block1.0.ff1.weight", torch::zeros({4, 2})));
  EXPECT_TRUE(decays("patch_embed.proj.0.weight", torch::zeros({4, 2, 3, 3})));
  EXPECT_FALSE(decays("block1.0.ff1.bias", torch::zeros({4})));
  EXPECT_FALSE(decays("norm.weight", torch::zeros({4})));
  EXPECT_FALSE(decays("cls_token", torch::zeros({1, 1, 4})));
  EXPECT_FALSE(decays("pos_embed1", torch::zeros({1, 9, 4})));
  EXPECT_FALSE(decays("temperature", torch::zeros({4, 1, 1})));
}

TEST(Optimizer, AdamWFollowsItsFormula) {
  const Linear layer = smallLayer(0.5, -2);
  OptimizerOptions options;
  options.weightDecay = 0.1;
  Optimizer optimizer(*layer, options);
  const auto follow = [&](double gradient, double decay) {
    double value = 1;
    double m = 0;
    double v = 0;
    for (int step = 1; step <= 3; ++step) {
      value *= 1 - 0.01 * decay;
      m = 0.9 * m + 0.1 * gradient;
      v = 0.999 * v + 0.001 * gradient * gradient;
      const double first = m / (1 - std::pow(0.9, step));
      const double second = v / (1 - std::pow(0.999, step));
      value -= 0.01 * first / (std::sqrt(second) + 1e-8);
    }
    return value;
  };
  for (int step = 0; step < 3; ++step) optimizer.step(0.01);
  EXPECT_NEAR(layer->weight[0][0].item<double>(), follow(0.5, 0.1), 1e-6);
  EXPECT_NEAR(layer->bias[0].item<double>(), follow(-2, 0), 1e-6);
}

TEST(Optimizer, SgdFollowsItsFormula) {
  const Linear layer = smallLayer(0.5, -2);
  OptimizerOptions options;
  options.method = OptimizerOptions::Method::Sgd;
  options.weightDecay = 0.1;
  Optimizer optimizer(*layer, options);
  const auto follow = [&](double gradient, double decay) {
    double value = 1;
    double momentum = 0;
    for (int step = 0; step < 3; ++step) {
      const double whole = gradient + decay * value;
      momentum = 0.9 * momentum + whole;
      value -= 0.01 * (whole + 0.9 * momentum);
    }
    return value;
  };
  for (int step = 0; step < 3; ++step) optimizer.step(0.01);
  EXPECT_NEAR(layer->weight[0][1].item<double>(), follow(0.5, 0.1), 1e-6);
  EXPECT_NEAR(layer->bias[0].item<double>(), follow(-2, 0), 1e-6);
}

TEST(Optimizer, ClipsTheNormOfAllGradientsTogether) {
  const Linear layer = smallLayer(2, 1);
  Optimizer optimizer(*layer, {});
  EXPECT_NEAR(optimizer.clipGradients(1.5), 3, 1e-6);
  EXPECT_NEAR(layer->weight.grad()[0][0].item<double>(), 1, 1e-6);
  EXPECT_NEAR(layer->bias.grad()[0].item<double>(), 0.5, 1e-6);
  EXPECT_NEAR(optimizer.clipGradients(10), 1.5, 1e-6);
  EXPECT_NEAR(layer->bias.grad()[0].item<double>(), 0.5, 1e-6) << "small ones are left";
}

}  // namespace
}  // namespace softscope::test
