#include "core/network/Measurements.h"
#include "core/network/NetworkModule.h"
#include "tests/models/Golden.h"
#include "tests/models/UnpackedArchive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

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

/// Returns the part with which each parameter was drawn anew, for those that are not constant.
std::map<std::string, std::string> partsOfParameters(const Golden& golden) {
  const std::vector<std::string> parts = randomisedParts(*golden.model);
  std::map<std::string, torch::Tensor> before = copiedParameters(golden);
  std::map<std::string, std::string> drawnWith;
  std::string drawn;
  const auto noteChanged = [&] {
    for (const auto& [name, now] : copiedParameters(golden)) {
      if (now.equal(before.at(name))) continue;
      EXPECT_TRUE(drawnWith.emplace(name, drawn).second) << name << " was drawn twice";
      before[name] = now;
    }
  };
  const Progress progress([&](double, const std::string& what) {
    if (std::ranges::find(parts, what) == parts.end()) return;
    noteChanged();
    drawn = what;
  });
  measureSanity(*golden.model, golden.input(), {.methods = {ClassMethod::GradCam}}, progress);
  noteChanged();
  return drawnWith;
}

TEST(SanityMeasurement, TheHeadHoldsNothingThatBlocksReadFrom) {
  const test::UnpackedArchive linear("linear.zip");
  const auto deit = partsOfParameters(Golden("deit"));
  EXPECT_EQ(deit.at("head.weight"), "head");
  EXPECT_EQ(deit.at("patch_embed.proj.weight"), "embedding");
  const auto pyramid = partsOfParameters(Golden("flatten_pvt"));
  EXPECT_EQ(pyramid.at("head.weight"), "head");
  EXPECT_EQ(pyramid.at("patch_embed4.proj.weight"), "block4.0");
  EXPECT_EQ(pyramid.at("patch_embed2.proj.weight"), "block2.0");
  EXPECT_EQ(pyramid.at("patch_embed1.proj.weight"), "embedding");
  const auto stages = partsOfParameters(Golden("mlla"));
  EXPECT_EQ(stages.at("head.weight"), "head");
  EXPECT_EQ(stages.at("layers.1.downsample.conv.0.conv.weight"), "layers.2.blocks.0");
  // Its first layers make the tokens.
  const auto tokens = partsOfParameters(Golden("t2t_performer"));
  EXPECT_EQ(tokens.at("head.weight"), "head");
  EXPECT_EQ(tokens.at("tokens_to_token.project.weight"), "blocks.0");
  EXPECT_EQ(tokens.at("tokens_to_token.attention1.kqv.weight"), "tokens_to_token.attention1");
  EXPECT_EQ(partsOfParameters(Golden(linear.folder("vim"))).at("head.weight"), "head");
}

}  // namespace
}  // namespace softscope
