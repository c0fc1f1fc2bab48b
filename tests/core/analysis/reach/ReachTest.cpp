#include "core/analysis/reach/Reach.h"
#include "core/analysis/reach/ReachAnalysis.h"
#include "core/attention/AttentionMap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <vector>

namespace softscope {
namespace {

/// A token in the middle of the picture, in a grid of 3 x 3 patches.
Reach middleOf(int side) {
  Reach reach{.grid = {3, 3}, .patch = 4, .height = side, .width = side};
  reach.pixels.setZero(side * side);
  return reach;
}

TEST(Reach, RadiusIsTheDistanceThatHoldsHalf) {
  Reach reach = middleOf(9);
  // The middle of the picture is the centre of pixel (4, 4).
  reach.pixels[4 * 9 + 4] = 1;
  EXPECT_DOUBLE_EQ(reachRadius(reach).value(), 0);
  reach.pixels[4 * 9 + 7] = 2;
  EXPECT_DOUBLE_EQ(reachRadius(reach).value(), 3);
  EXPECT_DOUBLE_EQ(reachRadius(reach, 0.25).value(), 0);
  reach.pixels[0] = 10;
  EXPECT_DOUBLE_EQ(reachRadius(reach).value(), std::hypot(4, 4));
}

TEST(Reach, RadiusIsMeasuredFromTheTokensPatch) {
  Reach reach = middleOf(9);
  reach.patch = 2;  // the patch at the top right, whose centre is (7.5, 1.5)
  reach.pixels[1 * 9 + 7] = 1;
  EXPECT_DOUBLE_EQ(reachRadius(reach).value(), 0);
}

TEST(Reach, UniformRadiusIsThatOfACircle) {
  const Reach reach = middleOf(300);
  EXPECT_NEAR(uniformRadius(reach).value(), 300 * std::sqrt(0.5 / std::numbers::pi), 0.5);
}

TEST(Reach, HasNoRadiusWithoutAPlaceOrInfluence) {
  Reach reach = middleOf(9);
  EXPECT_FALSE(reachRadius(reach));
  reach.pixels.setOnes();
  EXPECT_TRUE(reachRadius(reach));
  reach.patch.reset();
  EXPECT_FALSE(reachRadius(reach));
}

TEST(Reach, RadiusIsMeasuredFromThePatchOfAGridThatReachesBeyondTheInput) {
  Reach reach = middleOf(9);
  reach.seen = PictureRegion{-3, -3, 15, 15};
  reach.patch = 0;  // of 5 x 5 pixels, whose centre is (-0.5, -0.5)
  reach.pixels[0] = 1;
  EXPECT_DOUBLE_EQ(reachRadius(reach).value(), std::hypot(1, 1));
  reach.patch = 8;  // the centre is (9.5, 9.5)
  EXPECT_DOUBLE_EQ(reachRadius(reach).value(), std::hypot(9, 9));
  reach.patch = 4;
  EXPECT_DOUBLE_EQ(uniformRadius(reach).value(), uniformRadius(middleOf(9)).value());
  reach.patch = 0;
  EXPECT_GT(uniformRadius(reach).value(), uniformRadius(middleOf(9)).value());
}

/// The last of 2 x 2 patches and a class token, reached by the five before the block.
Reach lastPatch() {
  Reach reach{.from = ReachSource::Tokens,
              .grid = {2, 2},
              .patch = 3,
              .token = 4,
              .prefixTokens = 1,
              .height = 2,
              .width = 2};
  reach.pixels = Eigen::Vector4d(1, 4, 9, 64);
  reach.prefix = Eigen::VectorXd::Constant(1, 50);
  return reach;
}

TEST(Reach, OwnShareIsThatOfTheTokenBeforeTheBlock) {
  Reach reach = lastPatch();
  EXPECT_DOUBLE_EQ(ownShare(reach).value(), 64 / 128.0);
  reach.patch = 0;
  reach.token = 1;
  EXPECT_DOUBLE_EQ(ownShare(reach).value(), 1 / 128.0);
  reach.patch.reset();
  reach.token = 0;
  EXPECT_DOUBLE_EQ(ownShare(reach).value(), 50 / 128.0);
}

TEST(Reach, HasNoOwnShareOfOtherTokensOfPixelsOrOfNothing) {
  Reach larger = lastPatch();
  larger.height = 4;
  larger.pixels.setOnes(8);
  EXPECT_FALSE(ownShare(larger));
  Reach withoutClassToken = lastPatch();
  withoutClassToken.prefix.resize(0);
  EXPECT_FALSE(ownShare(withoutClassToken));
  Reach ofPixels = lastPatch();
  ofPixels.from = ReachSource::Pixels;
  EXPECT_FALSE(ownShare(ofPixels));
  Reach unreached = lastPatch();
  unreached.pixels.setZero();
  unreached.prefix.setZero();
  EXPECT_FALSE(ownShare(unreached));
}

TEST(ReachArrays, HoldTheOwnShareWhereThereIsOne) {
  const auto inspection =
      std::make_shared<const Inspection>(Inspection{.layers = {{.name = "blocks.0.attn"}}});
  const auto ownShareIn = [&](const Reach& reach) -> std::optional<std::vector<float>> {
    const LayerReach of{.of = {.model = "model", .inspection = inspection}, .reach = reach};
    for (const auto& [name, array] : reachArrays({of})) {
      if (name == "model.blocks_0_attn.own_share") return array.values;
    }
    return std::nullopt;
  };
  EXPECT_EQ(ownShareIn(lastPatch()), (std::vector<float>{0.5F}));
  Reach ofPixels = lastPatch();
  ofPixels.from = ReachSource::Pixels;
  EXPECT_EQ(ownShareIn(ofPixels), std::nullopt);
}

}  // namespace
}  // namespace softscope
