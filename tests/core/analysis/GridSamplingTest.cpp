#include "core/analysis/GridSampling.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(GridShare, PixelsKeepTheirPlacesInAPartThatReachesBeyondThem) {
  const Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(6, 1, 6);  // 2 x 3
  const PictureRegion wider{-1, -2, 5, 5};
  EXPECT_EQ(pixelGridOf(wider), (TokenGrid{5, 5}));
  Eigen::VectorXd expected = Eigen::VectorXd::Zero(25);
  expected.segment(2 * 5 + 1, 3) << 1, 2, 3;
  expected.segment(3 * 5 + 1, 3) << 4, 5, 6;
  EXPECT_EQ(laidOver(wider, values, {2, 3}), expected);
}

TEST(GridShare, PixelsOutsideOfAPartAreLeftOut) {
  const Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(6, 1, 6);  // 2 x 3
  EXPECT_EQ(laidOver({1, 1, 2, 1}, values, {2, 3}), Eigen::Vector2d(5, 6));
  EXPECT_EQ(laidOver({1.2, 0.9, 2.2, 1.4}, values, {2, 3}), Eigen::Vector2d(5, 6)) << "rounded";
  EXPECT_EQ(laidOver({4, 0, 2, 1}, values, {2, 3}), Eigen::Vector2d(0, 0));
}

}  // namespace
}  // namespace softscope
