#include "core/train/Loss.h"

#include <gtest/gtest.h>

#include <cmath>

namespace softscope::test {
namespace {

TEST(Loss, SmoothedTargetsShareTheSmoothingAmongAllClasses) {
  const torch::Tensor targets = smoothedTargets({2, 0}, 4, 0.1);
  EXPECT_NEAR(targets[0][2].item<double>(), 0.925, 1e-6);
  EXPECT_NEAR(targets[0][0].item<double>(), 0.025, 1e-6);
  EXPECT_NEAR(targets[1][0].item<double>(), 0.925, 1e-6);
  EXPECT_NEAR(targets[1].sum().item<double>(), 1, 1e-6);
}

TEST(Loss, IsTheMeanCrossEntropyWithTheTargets) {
  const double logits[2][3] = {{1, -2, 0.5}, {0, 3, -1}};
  const double targets[2][3] = {{0.7, 0.2, 0.1}, {0, 1, 0}};
  double expected = 0;
  for (int row = 0; row < 2; ++row) {
    double sum = 0;
    for (const double logit : logits[row]) sum += std::exp(logit);
    for (int i = 0; i < 3; ++i) {
      expected -= targets[row][i] * (logits[row][i] - std::log(sum)) / 2;
    }
  }
  const auto tensor = [](const double(&values)[2][3]) {
    return torch::from_blob(const_cast<double*>(&values[0][0]), {2, 3}, torch::kFloat64)
        .to(torch::kFloat32);
  };
  EXPECT_NEAR(crossEntropy(tensor(logits), tensor(targets)).item<double>(), expected, 1e-6);
}

}  // namespace
}  // namespace softscope::test
