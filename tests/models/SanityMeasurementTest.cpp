#include "core/network/NetworkModule.h"
#include "core/network/SanityMeasurement.h"
#include "tests/models/Golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace softscope {
namespace {

using ::testing::ElementsAre;

std::map<std::string, torch::Tensor> copiedParameters(const Golden& golden) {
  std::map<std::string, torch::Tensor> copies;
  const auto& network = dynamic_cast<NetworkModule&>(golden.model->network());
  for (const auto& parameter : network.named_parameters()) {
    copies[parameter.key()] = parameter.value().clone();
  }
  return copies;
}

TEST(SanityMeasurement, GoesFromTheAnswerDownToThePicture) {
  EXPECT_THAT(randomisedParts(*Golden("deit").model),
              ElementsAre("head", "blocks.1", "blocks.0", "embedding"));
  EXPECT_THAT(
      randomisedParts(*Golden("soft", {.attention = "soft"}).model),
      ElementsAre("head", "block4.0", "block3.0", "block2.1", "block2.0", "block1.0", "embedding"));
}

TEST(SanityMeasurement, DrawsEveryWeightAnewAndFollowsTheTrainedNetworksClass) {
  const Golden golden("deit");
  const auto before = copiedParameters(golden);
  const ModelSanity sanity =
      measureSanity(*golden.model, golden.input(),
                    {.methods = {ClassMethod::GradientRollout, ClassMethod::GradCam}});
  EXPECT_EQ(sanity.classIndex, 9);
  ASSERT_EQ(sanity.curves.size(), 2u);
  for (const SanityCurve& curve : sanity.curves) {
    ASSERT_EQ(curve.correlation.size(), 4u);
    for (const auto& correlation : curve.correlation) EXPECT_LT(correlation.value(), 0.99);
  }
  for (const auto& [name, now] : copiedParameters(golden)) {
    const torch::Tensor& then = before.at(name);
    // What is constant stays so.
    const bool isConstant = then.numel() < 2 || then.std().item<double>() == 0;
    EXPECT_EQ(now.equal(then), isConstant) << name;
    if (then.numel() < 1000) continue;
    EXPECT_NEAR(now.std().item<double>(), then.std().item<double>(),
                0.2 * then.std().item<double>())
        << name;
  }
}

TEST(SanityMeasurement, GivesTheSameNumbersEveryTime) {
  const auto measured = [] {
    const Golden golden("deit");
    return measureSanity(*golden.model, golden.input(), {.methods = {ClassMethod::GradCam}});
  };
  EXPECT_EQ(measured().curves[0].correlation, measured().curves[0].correlation);
}

}  // namespace
}  // namespace softscope
