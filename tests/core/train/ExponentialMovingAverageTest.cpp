#include "core/train/ExponentialMovingAverage.h"
#include "models/layers/Layers.h"

#include <gtest/gtest.h>

namespace softscope::test {
namespace {

using Start = ExponentialMovingAverage::Start;

double weightOf(const BatchNorm& norm) {
  return norm->weight[0].item<double>();
}

void setWeight(const BatchNorm& norm, double value) {
  const torch::NoGradGuard noGradient;
  norm->weight.fill_(value);
}

BatchNorm filled(double value) {
  BatchNorm norm(1);
  const torch::NoGradGuard noGradient;
  for (torch::Tensor& tensor : norm->parameters()) tensor.fill_(value);
  norm->runningMean.fill_(value);
  norm->runningVariance.fill_(value);
  return norm;
}

TEST(ExponentialMovingAverage, StartsAsACopyAndFollows) {
  const BatchNorm network = filled(1);
  const BatchNorm average = filled(7);
  ExponentialMovingAverage averaging(*network, *average, 0.5, Start::Random);
  EXPECT_DOUBLE_EQ(weightOf(average), 1);
  setWeight(network, 3);
  network->runningMean.fill_(5);
  averaging.update(1000);
  EXPECT_NEAR(weightOf(average), 2, 1e-6);
  EXPECT_NEAR(average->runningMean[0].item<double>(), 3, 1e-6) << "buffers are averaged too";
  EXPECT_DOUBLE_EQ(weightOf(network), 3);
}

TEST(ExponentialMovingAverage, ForgetsItsStartFast) {
  const BatchNorm network = filled(0);
  const BatchNorm average = filled(0);
  ExponentialMovingAverage averaging(*network, *average, 0.999, Start::Random);
  setWeight(network, 1);
  averaging.update(0);
  EXPECT_NEAR(weightOf(average), 0.9, 1e-6);
}

TEST(ExponentialMovingAverage, WeighsATrainedStartAsAnyOtherStep) {
  const BatchNorm network = filled(1);
  const BatchNorm average = filled(0);
  ExponentialMovingAverage averaging(*network, *average, 0.999, Start::Trained);
  setWeight(network, 0);
  averaging.update(0);
  averaging.update(1);
  EXPECT_NEAR(weightOf(average), 0.999 * 0.999, 1e-6);
}

TEST(ExponentialMovingAverage, WithoutDecayIsACopy) {
  const BatchNorm network = filled(0);
  const BatchNorm average = filled(0);
  ExponentialMovingAverage averaging(*network, *average, 0, Start::Random);
  setWeight(network, 0.3);
  averaging.update(5);
  EXPECT_EQ(average->weight[0].item<float>(), network->weight[0].item<float>());
}

}  // namespace
}  // namespace softscope::test
