#include "core/Error.h"
#include "core/analysis/Cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace softscope {
namespace {

std::vector<int> tokensOf(const CostPlan& plan, const std::string& mechanism) {
  std::vector<int> tokens;
  for (const CostRequest& request : plan.points) {
    if (request.mechanism == mechanism) tokens.push_back(request.tokens);
  }
  return tokens;
}

TEST(CostPlan, UsuallyGoesFromTheFirstStageTo65536TokensWhereThatIsLinear) {
  const CostPlan plan = planCosts({});
  const std::vector<int> soft = tokensOf(plan, "soft");
  for (int p = 1; p <= 8; ++p) EXPECT_EQ(std::count(soft.begin(), soft.end(), 784 * p), 1);
  EXPECT_EQ(soft.back(), 65536);
  for (const CostRequest& request : plan.points) {
    EXPECT_EQ(request.channels, 12 * 32);
    EXPECT_EQ(request.heads, 12);
    EXPECT_LE(wholeMatrixBytes(request), costMemoryBudget);
  }
  EXPECT_LT(tokensOf(plan, "softmax").back(), 6272) << "two n x n matrices of 12 heads";
  ASSERT_EQ(plan.leftOut.size(), 1u);
  EXPECT_EQ(
      plan.leftOut[0],
      "softmax is left out from 6272 tokens on: its n x n matrices would take more than 3 GiB");
}

TEST(CostPlan, BothOrdersOfSimaAreMeasuredWhereTheyCross) {
  const CostPlan plan = planCosts({});
  const std::vector<int> linear = tokensOf(plan, "sima");
  const std::vector<int> quadratic = tokensOf(plan, "sima_quadratic");
  EXPECT_EQ(linear.front(), quadratic.front());
  EXPECT_LT(linear.front(), 32) << "a head's channels";
}

TEST(CostPlan, TakesWhatIsAskedForInOrderAndOnce) {
  CostSweep sweep;
  sweep.over = CostOver::Channels;
  sweep.scope = CostScope::Vit12;
  sweep.mechanisms = {"elu"};
  sweep.tokens = {100};
  sweep.channels = {96, 48, 96};
  sweep.heads = {6};
  const CostPlan plan = planCosts(sweep);
  ASSERT_EQ(plan.points.size(), 2u);
  EXPECT_EQ(plan.points[0], (CostRequest{CostScope::Vit12, "elu", 100, 48, 6, 0}));
  EXPECT_EQ(plan.points[1].channels, 96);
  EXPECT_EQ(positionOf(plan.points[1], sweep.over), 96);
}

TEST(CostPlan, RefusesWhatCannotBeMeasured) {
  CostSweep sweep;
  sweep.mechanisms = {"magic"};
  EXPECT_THROW(planCosts(sweep), InspectionError);
  sweep.mechanisms = {"elu"};
  sweep.heads = {7};
  EXPECT_THROW(planCosts(sweep), InspectionError) << "7 heads of 384 channels";
  sweep.heads = {};
  sweep.tokens = {0};
  EXPECT_THROW(planCosts(sweep), InspectionError);
  sweep.tokens = {48};
  EXPECT_NO_THROW(planCosts(sweep));
  sweep.mechanisms = {"soft"};
  EXPECT_THROW(planCosts(sweep), InspectionError) << "fewer tokens than landmarks";
}

TEST(CostMechanisms, HaveNamesOfTheirOwn) {
  std::set<std::string> texts;
  for (const std::string& name : costMechanisms()) texts.insert(costMechanismText(name));
  EXPECT_EQ(texts.size(), costMechanisms().size());
  EXPECT_TRUE(isQuadratic("softmax"));
  EXPECT_FALSE(isQuadratic("soft++"));
  EXPECT_EQ(wholeMatrixBytes({CostScope::Attention, "softmax", 100, 384, 12, 0}),
            2 * 12 * 100 * 100 * 4);
  EXPECT_EQ(wholeMatrixBytes({CostScope::Attention, "softmax_strips", 100, 384, 12, 0}), 0);
}

}  // namespace
}  // namespace softscope
