#include "core/Error.h"
#include "core/analysis/deletion/PatchOrder.h"
#include "core/analysis/deletion/ProbabilityCurve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace softscope {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

constexpr int curvePatches = 12;
constexpr int objectPatches = 3;

/// The first three of twelve patches are the object: the probability is the share of it that is
/// kept.
double objectKept(const std::vector<bool>& kept) {
  return static_cast<double>(std::count(kept.begin(), kept.begin() + objectPatches, true)) /
         objectPatches;
}

std::vector<int> inOrder() {
  std::vector<int> order(curvePatches);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// Straight lines with corners where the object begins and ends, which the trapezoid rule has
/// exactly: K / 2N is the area of the triangle.
TEST(ProbabilityCurve, HasTheAreaThatItsProbabilitiesMean) {
  std::vector<int> last = inOrder();
  std::reverse(last.begin(), last.end());
  const auto curves = followOrders({inOrder(), last}, curvePatches, objectKept);
  const double triangle = objectPatches / (2.0 * curvePatches);
  EXPECT_DOUBLE_EQ(curves[0].deletion.area(), triangle);
  EXPECT_DOUBLE_EQ(curves[0].insertion.area(), 1 - triangle);
  EXPECT_DOUBLE_EQ(curves[1].deletion.area(), 1 - triangle);
  EXPECT_DOUBLE_EQ(curves[1].insertion.area(), triangle);
  EXPECT_EQ(curves[0].deletion.probabilities.front(), 1);
  EXPECT_EQ(curves[0].deletion.probabilities.back(), 0);
  EXPECT_EQ(curves[0].insertion.probabilities.front(), 0);
  EXPECT_EQ(curves[0].insertion.probabilities.back(), 1);
}

/// np.trapezoid([1, 0, 0.5, 0.25], [0, 0.25, 0.75, 1])
TEST(ProbabilityCurve, AreasAreTrapezoids) {
  const ProbabilityCurve curve{{0, 0.25, 0.75, 1}, {1, 0, 0.5, 0.25}};
  EXPECT_DOUBLE_EQ(curve.area(), 0.34375);
}

TEST(ProbabilityCurve, ACertainClassHasAnAreaOfOne) {
  const auto curves = followOrders({inOrder()}, 5, [](const auto&) { return 1.0; });
  EXPECT_DOUBLE_EQ(curves[0].deletion.area(), 1);
  EXPECT_DOUBLE_EQ(curves[0].insertion.area(), 1);
}

TEST(ProbabilityCurve, StepsArePartsOfThePatches) {
  EXPECT_THAT(removedPatches(10, 4), ElementsAre(0, 3, 5, 8, 10));
  EXPECT_THAT(removedPatches(3, 20), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(removedPatches(1, 20), ElementsAre(0, 1));
  const auto curves = followOrders({inOrder()}, 5, objectKept);
  EXPECT_THAT(curves[0].deletion.fractions,
              Pointwise(DoubleNear(1e-15), {0.0, 2 / 12.0, 5 / 12.0, 7 / 12.0, 10 / 12.0, 1.0}));
  EXPECT_THAT(curves[0].deletion.probabilities,
              Pointwise(DoubleNear(1e-15), {1.0, 1 / 3.0, 0.0, 0.0, 0.0, 0.0}));
}

TEST(ProbabilityCurve, LooksAtTheWholeAndTheEmptyPictureOnce) {
  int looks = 0;
  followOrders({inOrder(), inOrder(), inOrder()}, 4, [&](const std::vector<bool>& kept) {
    ++looks;
    return objectKept(kept);
  });
  EXPECT_EQ(looks, 2 + 3 * 2 * 3);
}

TEST(ProbabilityCurve, OfAnOrderHangsOnNoOther) {
  const auto alone = followOrders({randomPatchOrder(curvePatches, 3)}, 6, objectKept);
  const auto among = followOrders({inOrder(), randomPatchOrder(curvePatches, 3)}, 6, objectKept);
  EXPECT_EQ(alone[0].deletion.probabilities, among[1].deletion.probabilities);
  EXPECT_EQ(alone[0].insertion.probabilities, among[1].insertion.probabilities);
}

TEST(ProbabilityCurve, TellsHowFarItIsAndStops) {
  std::vector<double> told;
  Progress progress([&](double fraction, const std::string&) { told.push_back(fraction); });
  followOrders({inOrder()}, 3, objectKept, progress);
  EXPECT_THAT(told, ElementsAre(0, 0.25, 0.5, 0.75));
  progress.cancel();
  EXPECT_THROW(followOrders({inOrder()}, 3, objectKept, progress), Cancelled);
}

/// np.mean and np.std(ddof=1) of two curves and of their areas.
TEST(CurveBand, IsMeanAndDeviation) {
  const CurveBand band = bandOf({{{0, 0.5, 1}, {1, 0.25, 0}}, {{0, 0.5, 1}, {1, 0.75, 0}}});
  EXPECT_THAT(band.mean, ElementsAre(1, 0.5, 0));
  EXPECT_THAT(band.deviation, Pointwise(DoubleNear(1e-15), {0.0, std::sqrt(0.125), 0.0}));
  EXPECT_DOUBLE_EQ(band.area, 0.5);
  EXPECT_DOUBLE_EQ(band.areaDeviation, std::sqrt(0.03125));
  EXPECT_THAT(bandOf({{{0, 1}, {1, 0}}}).deviation, ElementsAre(0, 0)) << "of a single one";
}

/// np.quantile([3, 1, 4, 1, 5], [0.05, 0.95]) / 8
TEST(CurveBand, SaysWhereNineTenthsLie) {
  std::vector<ProbabilityCurve> curves;
  for (const double value : {3, 1, 4, 1, 5}) curves.push_back({{0, 1}, {value / 8, value / 8}});
  const CurveBand band = bandOf(curves);
  EXPECT_THAT(band.low, Pointwise(DoubleNear(1e-15), {0.125, 0.125}));
  EXPECT_THAT(band.high, Pointwise(DoubleNear(1e-15), {0.6, 0.6}));
  EXPECT_DOUBLE_EQ(band.areaLow, 0.125);
  EXPECT_DOUBLE_EQ(band.areaHigh, 0.6);
}

TEST(ChanceRank, CountsWorseAndEqualAreas) {
  const std::vector<double> areas{0.5, 0.3, 0.4, 0.4};
  const ChanceRank small = rankAmong(areas, 0.4, BetterArea::Small);
  EXPECT_EQ(small.better, 1);
  EXPECT_EQ(small.equal, 2);
  EXPECT_EQ(small.orders, 4);
  EXPECT_DOUBLE_EQ(small.share().value(), 0.5);
  EXPECT_EQ(rankAmong(areas, 0.45, BetterArea::Large).better, 3);
  EXPECT_EQ(rankAmong(areas, 0.2, BetterArea::Small).better, 4);
  EXPECT_EQ(rankAmong(areas, 0.2, BetterArea::Large).better, 0);
  EXPECT_FALSE(rankAmong({}, 0.2, BetterArea::Large).share());
  const double undefined = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(rankAmong(areas, undefined, BetterArea::Large).share());
  EXPECT_EQ(rankAmong({0.5, undefined}, 0.4, BetterArea::Small).orders, 1);
}

/// 41 % of the orders at random lie outside one standard deviation of the mean of them all, so that
/// a map that lies there is no better than chance; ranks are as even as chance is.
TEST(ChanceRank, OfChanceIsAnyWithTheSameProbability) {
  constexpr int orders = 4;
  constexpr int maps = 3000;
  std::vector<int> counts(orders + 1);
  for (std::uint32_t map = 0; map < maps; ++map) {
    std::vector<double> areas;
    for (std::uint32_t i = 0; i <= orders; ++i) {
      // Positions of all patches, so that hardly any two orders have the same area.
      const std::vector<int> order = randomPatchOrder(20, map * (orders + 1) + i);
      double area = 0;
      for (int place = 0; place < 20; ++place) area += std::sqrt(place * order[std::size_t(place)]);
      areas.push_back(area);
    }
    const double own = areas.back();
    areas.pop_back();
    const ChanceRank rank = rankAmong(areas, own, BetterArea::Small);
    EXPECT_EQ(rank.equal, 0);
    ++counts[static_cast<std::size_t>(rank.better)];
  }
  // Six standard deviations.
  for (const int count : counts) EXPECT_NEAR(count, maps / (orders + 1), 6 * 22);
}

}  // namespace
}  // namespace softscope
