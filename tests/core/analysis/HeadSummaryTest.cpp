#include "core/analysis/HeadSummary.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(HeadSummary, IsTheMeanAndTheLargestMagnitudeOverHeads) {
  const std::vector<Vector> heads{Vector{{1, -5, 0}}, Vector{{2, 4, 0}}, Vector{{-6, 4, 0}}};
  EXPECT_TRUE(meanOverHeads(heads).isApprox(Vector{{-1, 1, 0}}));
  EXPECT_EQ(largestOverHeads(heads), (Vector{{-6, -5, 0}}));
  EXPECT_EQ(meanOverHeads({heads[0]}), heads[0]);
  EXPECT_EQ(largestOverHeads({heads[1]}), heads[1]);
}

}  // namespace
}  // namespace softscope
