#include "core/analysis/deletion/PatchOrder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>

namespace softscope {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

TEST(PatchOrder, GoesFromTheLargestScoreToTheSmallest) {
  EXPECT_THAT(patchOrder(Eigen::VectorXd{{0.1, -3, 7, 0.2}}), ElementsAre(2, 3, 0, 1));
}

TEST(PatchOrder, OfAMapThatSaysNothingIsTheFirstAtRandom) {
  EXPECT_EQ(patchOrder(Eigen::VectorXd::Constant(50, 3.5)), randomPatchOrder(50, 0));
}

TEST(PatchOrder, TiesStandAsInTheFirstAtRandom) {
  Eigen::VectorXd scores = Eigen::VectorXd::Zero(20);
  scores.tail(10).setOnes();
  const std::vector<int> order = patchOrder(scores);
  std::vector<int> expected;
  for (const bool high : {true, false}) {
    for (const int patch : randomPatchOrder(20, 0)) {
      if ((patch >= 10) == high) expected.push_back(patch);
    }
  }
  EXPECT_EQ(order, expected);
}

TEST(PatchOrder, WhatIsNoNumberComesLast) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(patchOrder(Eigen::VectorXd{{none, -1, 5}}).back(), 0);
}

/// What NumPy's MT19937 with that seed gives, its words taken modulo the patches that are left.
TEST(RandomPatchOrder, IsThatOfItsSeedOnEveryMachine) {
  EXPECT_THAT(randomPatchOrder(8, 7), ElementsAre(2, 4, 0, 3, 5, 1, 6, 7));
  EXPECT_NE(randomPatchOrder(50, 1), randomPatchOrder(50, 2));
  EXPECT_EQ(randomPatchOrder(50, 1), randomPatchOrder(50, 1));
  EXPECT_TRUE(randomPatchOrder(0, 1).empty());
}

TEST(RandomPatchOrder, ChoosesEvenlyAmongAllOrders) {
  std::map<std::vector<int>, int> counts;
  constexpr int draws = 12000;
  for (int seed = 0; seed < draws; ++seed) ++counts[randomPatchOrder(4, seed)];
  ASSERT_EQ(counts.size(), 24u);
  for (const auto& [order, count] : counts) {
    EXPECT_THAT(order, UnorderedElementsAre(0, 1, 2, 3));
    // Six standard deviations.
    EXPECT_NEAR(count, draws / 24, 6 * 22);
  }
}

}  // namespace
}  // namespace softscope
