#include "core/survey/ValueSpread.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace softscope {
namespace {

TEST(ValueSpread, TellsMeanAndDeviation) {
  ValueSpread spread;
  // Numbers whose squares alone would lose what tells them apart.
  for (const double value : {1e9 + 1, 1e9 + 2, 1e9 + 6}) spread.add(value);
  EXPECT_EQ(spread.pictures(), 3);
  EXPECT_NEAR(*spread.mean(), 1e9 + 3, 1e-6);
  EXPECT_NEAR(*spread.deviation(), std::sqrt((4.0 + 1 + 9) / 2), 1e-6);
}

TEST(ValueSpread, CountsOnlyPicturesThatHaveAValue) {
  ValueSpread spread;
  EXPECT_FALSE(spread.mean());
  spread.add(std::nullopt);
  spread.add(std::numeric_limits<double>::quiet_NaN());
  spread.add(std::numeric_limits<double>::infinity());
  EXPECT_EQ(spread.pictures(), 0);
  spread.add(0.25);
  EXPECT_EQ(spread.pictures(), 1);
  EXPECT_EQ(spread.mean(), 0.25);
  EXPECT_FALSE(spread.deviation());
}

}  // namespace
}  // namespace softscope
