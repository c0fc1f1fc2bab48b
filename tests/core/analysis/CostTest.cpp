#include "core/Error.h"
#include "core/analysis/Cost.h"
#include "core/analysis/CostMeasurements.h"

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

constexpr std::int64_t threeGibibytes = std::int64_t{3} << 30;

TEST(CostPlan, UsuallyGoesFromTheFirstStageTo65536TokensWhereThatIsLinear) {
  const CostPlan plan = planCosts({}, threeGibibytes);
  const std::vector<int> soft = tokensOf(plan, "soft");
  for (int p = 1; p <= 8; ++p) EXPECT_EQ(std::count(soft.begin(), soft.end(), 784 * p), 1);
  EXPECT_EQ(soft.back(), 65536);
  for (const CostRequest& request : plan.points) {
    EXPECT_EQ(request.channels, 12 * 32);
    EXPECT_EQ(request.heads, 12);
    EXPECT_LE(wholeMatrixBytes(request), threeGibibytes);
  }
  EXPECT_LT(tokensOf(plan, "softmax").back(), 6272) << "two n x n matrices of 12 heads";
  ASSERT_EQ(plan.leftOut.size(), 1u);
  EXPECT_EQ(
      plan.leftOut[0],
      "softmax is left out from 6272 tokens on: its n x n matrices would take more than 3 GiB");
}

/// SOFT, Figure 1b: "a token sequence length of 784 x p where p = 1, ..., 8".
TEST(CostPlan, TransformersUsuallyGoToTheEndOfThePapersFigure) {
  CostSweep sweep;
  sweep.scope = CostScope::Vit12;
  const CostPlan plan = planCosts(sweep, std::int64_t{1} << 40);
  for (const std::string& mechanism : defaultCostMechanisms()) {
    EXPECT_EQ(tokensOf(plan, mechanism),
              (std::vector<int>{784, 1568, 2352, 3136, 3920, 4704, 5488, 6272}))
        << mechanism;
  }
  EXPECT_TRUE(plan.leftOut.empty());
}

TEST(CostPlan, LeavesOutWhatTheMemoryDoesNotHold) {
  CostSweep sweep;
  sweep.mechanisms = {"softmax"};
  sweep.tokens = {64, 96, 128, 256};
  // Two matrices of twelve heads.
  const CostPlan plan = planCosts(sweep, 1 << 20);
  EXPECT_EQ(tokensOf(plan, "softmax"), (std::vector<int>{64, 96}));
  ASSERT_EQ(plan.leftOut.size(), 1u);
  EXPECT_EQ(plan.leftOut[0],
            "softmax is left out from 128 tokens on: its n x n matrices would take more than 1 "
            "MiB");
  EXPECT_GT(costMemoryBudget("cpu"), 0);
  EXPECT_GT(costMemoryBudget("cuda:0"), costMemoryBudget("cpu"));
}

TEST(CostPlan, PassAndDeviceAreThoseOfEveryPoint) {
  CostSweep sweep;
  sweep.pass = CostPass::Training;
  sweep.device = "cuda:1";
  for (const CostRequest& request : planCosts(sweep).points) {
    EXPECT_EQ(request.pass, CostPass::Training);
    EXPECT_EQ(request.device, "cuda:1");
  }
  EXPECT_TRUE(planCosts(sweep).leftOut.empty()) << "another device refuses by itself";
}

TEST(CostPlan, BothOrdersOfSimaAreMeasuredWhereTheyCross) {
  const CostPlan plan = planCosts({}, threeGibibytes);
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

TEST(CostMechanisms, KeepMatricesOfEveryLayerThatIsTrained) {
  const auto matrices = [](CostScope scope, const char* mechanism) {
    return wholeMatrixBytes({scope, mechanism, 100, 384, 12, 0, CostPass::Training}) /
           (12 * 100 * 100 * 4);
  };
  EXPECT_EQ(matrices(CostScope::Attention, "softmax"), 2 + 1);
  EXPECT_EQ(matrices(CostScope::Vit12, "softmax"), 2 + 12);
  EXPECT_EQ(matrices(CostScope::Vit12, "softmax_strips"), 12);
  EXPECT_EQ(matrices(CostScope::Vit12, "sima"), 0);
}

TEST(CostMeasurements, LeaveOutWhatThereIsNoMemoryFor) {
  CostSweep sweep;
  sweep.mechanisms = {"soft", "sima"};
  sweep.tokens = {64, 128, 256};
  int runs = 0;
  const auto runner = [&](const CostRequest& request, const Progress&) {
    ++runs;
    if (request.mechanism == "soft" && request.tokens > 100) throw MemoryError("too much");
    return CostPoint{request, 1, 1, 1};
  };
  const CostMeasurements measured = measureCosts(sweep, runner);
  EXPECT_EQ(runs, 2 + 3) << "what is larger is not tried";
  EXPECT_EQ(measured.points.size(), 4u);
  ASSERT_EQ(measured.leftOut.size(), 1u);
  EXPECT_EQ(measured.leftOut[0],
            "soft is left out from 128 tokens on: there was not enough memory");
}

/// Of so many tokens, the fastest run and the median beside each other.
CostPoint timedPoint(int tokens, double milliseconds, double coresLost = 0) {
  CostPoint point{{.mechanism = "softmax", .tokens = tokens}};
  point.milliseconds = milliseconds;
  point.median = point.quartile1 = point.quartile3 = milliseconds;
  point.runs = 9;
  point.coresLost = coresLost;
  return point;
}

std::vector<std::string> doubtsOf(const std::vector<CostPoint>& points,
                                  const CostSweep& sweep = {}) {
  return costDoubts({sweep, points, {}});
}

TEST(CostDoubts, ThereAreNoneOfTimesThatGrow) {
  EXPECT_TRUE(doubtsOf({timedPoint(196, 1), timedPoint(392, 4), timedPoint(784, 16)}).empty());
  EXPECT_TRUE(doubtsOf({timedPoint(8, 0.010), timedPoint(16, 0.008)}).empty()) << "within noise";
  CostPoint unknown = timedPoint(784, 1);
  unknown.coresLost.reset();
  EXPECT_TRUE(doubtsOf({unknown}).empty());
}

TEST(CostDoubts, MoreTokensDoNotTakeLessTime) {
  const auto doubts = doubtsOf({timedPoint(784, 209), timedPoint(1568, 1)});
  ASSERT_EQ(doubts.size(), 1u);
  EXPECT_EQ(doubts[0],
            "softmax took 209 ms for 784 tokens and 1 ms for 1568, which cannot be of the "
            "mechanism");
  CostPoint other = timedPoint(1568, 1);
  other.of.mechanism = "sima";
  EXPECT_TRUE(doubtsOf({timedPoint(784, 209), other}).empty());
  CostSweep heads;
  heads.over = CostOver::Heads;
  EXPECT_TRUE(doubtsOf({timedPoint(784, 209), timedPoint(784, 1)}, heads).empty());
}

TEST(CostDoubts, OtherProgramsAndWideQuartilesAreSaid) {
  CostPoint spread = timedPoint(1568, 4);
  spread.quartile3 = 7;
  const auto doubts = doubtsOf({timedPoint(784, 1, 1.5), spread});
  ASSERT_EQ(doubts.size(), 2u);
  EXPECT_EQ(doubts[0],
            "other programs kept the machine busy while 1 of 2 points were measured, taking up to "
            "1.5 of the cores that were to be used");
  EXPECT_EQ(doubts[1], "the quartiles of 1 of 2 points lie more than half of the median apart");
}

}  // namespace
}  // namespace softscope
