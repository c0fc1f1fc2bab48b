#include "core/analysis/reach/Reach.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

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

}  // namespace
}  // namespace softscope
