#include "core/survey/reading/MeasureSummary.h"
#include "core/survey/reading/PairedDifference.h"
#include "core/survey/reading/SurveyAnswer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

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

namespace {

using ::testing::ElementsAre;

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

// By NumPy: v = [2.5, -1, 7, 3, 3, 11, 0.5, 40]; v.mean(), v.std(ddof=1), its share of sqrt(8), and
// numpy.quantile(v, [.25, .5, .75]).
TEST(MeasureSummary, EqualsNumPy) {
  const std::vector<double> values = {2.5, -1, 7, nothing, 3, 3, 11, 0.5, 40};
  const MeasureSummary summary = summarise(values);
  EXPECT_EQ(summary.count, 8);
  EXPECT_DOUBLE_EQ(summary.mean, 8.25);
  EXPECT_NEAR(summary.deviation, 13.368406251841904, 1e-13);
  EXPECT_NEAR(summary.standardError, 4.726445357167023, 1e-13);
  EXPECT_DOUBLE_EQ(summary.quartile1, 2);
  EXPECT_DOUBLE_EQ(summary.median, 3);
  EXPECT_DOUBLE_EQ(summary.quartile3, 8);
  // 8 + 1.5 * 6 = 17, so that 40 is outside; 2 - 9 = -7.
  EXPECT_EQ(summary.lowerWhisker, -1);
  EXPECT_EQ(summary.upperWhisker, 11);
  EXPECT_TRUE(isOutlier(40, summary));
  EXPECT_FALSE(isOutlier(11, summary));
  EXPECT_FALSE(isOutlier(nothing, summary));
}

TEST(MeasureSummary, OfFewValuesSaysWhatIsDefined) {
  const MeasureSummary none = summarise(std::vector<double>{nothing});
  EXPECT_EQ(none.count, 0);
  EXPECT_TRUE(std::isnan(none.mean) && std::isnan(none.median));
  const MeasureSummary one = summarise(std::vector<double>{4});
  EXPECT_EQ(one.mean, 4);
  EXPECT_EQ(one.quartile1, 4);
  EXPECT_EQ(one.upperWhisker, 4);
  EXPECT_TRUE(std::isnan(one.deviation) && std::isnan(one.standardError));
}

// By hand: of picture 1, 3 and 4 the differences are 1, 4 and 1; mean 2, deviation sqrt(3), error
// 1, and t with two degrees of freedom 4.302653.
TEST(PairedDifference, PairsPicturesAndLeavesOutTheRest) {
  const UnitValues of{{0, 1, 3, 4, 6}, {9, 2, 6, 5, 1}};
  const UnitValues reference{{1, 2, 3, 4, 6}, {1, 8, 2, 4, nothing}};
  const PairedDifference difference = pairedDifference(of, reference);
  EXPECT_EQ(difference.count, 3);
  EXPECT_DOUBLE_EQ(difference.mean, 2);
  EXPECT_DOUBLE_EQ(difference.standardError, 1);
  EXPECT_NEAR(difference.low, 2 - 4.302653, 1e-6);
  EXPECT_NEAR(difference.high, 2 + 4.302653, 1e-6);
  EXPECT_EQ(difference.jointHigh, difference.high) << "one difference alone";
  EXPECT_TRUE(std::isnan(pairedDifference({{0}, {1}}, {{0}, {1}}).low));
  EXPECT_EQ(pairedDifference({{0}, {1}}, {{1}, {1}}).count, 0);
}

// From the usual table of the t distribution.
TEST(PairedDifference, KnowsStudentsDistribution) {
  const std::array<std::pair<std::int64_t, double>, 9> table = {{{1, 12.7062},
                                                                 {2, 4.30265},
                                                                 {3, 3.18245},
                                                                 {4, 2.77645},
                                                                 {5, 2.57058},
                                                                 {10, 2.22814},
                                                                 {30, 2.04227},
                                                                 {100, 1.98397},
                                                                 {1000000, 1.95996}}};
  for (const auto& [degrees, value] : table) {
    EXPECT_NEAR(studentQuantile(degrees, 0.05), value, 1e-5 * value) << degrees;
  }
}

// By Simpson's rule over the density, and bisection.
TEST(PairedDifference, KnowsItsTails) {
  const std::tuple<std::int64_t, double, double> table[] = {
      {2, 0.05 / 17, 18.3984},    {3, 0.001, 12.924},        {7, 0.05 / 136, 6.39896},
      {100, 0.05 / 136, 3.68804}, {399, 0.05 / 17, 2.99227}, {576, 0.05 / 136, 3.58356},
      {576, 0.05, 1.96409},       {1000000, 0.0001, 3.89061}};
  for (const auto& [degrees, probability, value] : table) {
    EXPECT_NEAR(studentQuantile(degrees, probability), value, 1e-5 * value)
        << degrees << " " << probability;
  }
}

TEST(PairedDifference, IsCorrectedForTheNumberOfThem) {
  PairedDifference difference = pairedDifference({{0, 1, 2}, {1, 4, 1}}, {{0, 1, 2}, {0, 0, 0}});
  correctFor(17, difference);
  EXPECT_NEAR(difference.jointHigh, 2 + studentQuantile(2, 0.05 / 17), 1e-9);
  EXPECT_NEAR(difference.jointLow, 2 - studentQuantile(2, 0.05 / 17), 1e-9);
  EXPECT_NEAR(difference.high, 2 + 4.302653, 1e-6) << "its own stays";
}

TEST(Histogram, CountsBetweenTheEnds) {
  const std::vector<double> values = {0, 1, 1.5, nothing, 9.99, 10, 5};
  const Histogram histogram = histogramOf(values, 5);
  EXPECT_THAT(histogram.counts, ElementsAre(3, 0, 1, 0, 2));
  EXPECT_EQ(histogram.binOf(10), 4);
  EXPECT_EQ(histogram.binOf(2), 1);
  EXPECT_EQ(histogram.binOf(11), -1);
  EXPECT_EQ(histogram.binOf(nothing), -1);
  EXPECT_EQ(histogram.edge(1), 2);
  EXPECT_EQ(histogram.edge(5), 10);
}

TEST(Histogram, OfOneValueHasOneBin) {
  EXPECT_THAT(histogramOf(std::vector<double>{3, 3}, 8).counts, ElementsAre(2));
  EXPECT_TRUE(histogramOf(std::vector<double>{nothing}, 8).counts.empty());
  const std::vector<double> wide = {-1.7e308, 1.7e308};
  EXPECT_THAT(histogramOf(wide, 2).counts, ElementsAre(1, 1));
}

TEST(Bootstrap, OfTwoPicturesHoldsBoth) {
  Bootstrap bootstrap;
  const auto [low, high] = bootstrap.interval(std::vector<double>{3, 5});
  // A quarter of the resamples takes either picture alone.
  EXPECT_NEAR(low, 3, 1e-6);
  EXPECT_NEAR(high, 5, 1e-6);
  const auto same = bootstrap.interval(std::vector<double>{7, 7, 7});
  EXPECT_DOUBLE_EQ(same.first, 7);
  EXPECT_DOUBLE_EQ(same.second, 7);
  EXPECT_TRUE(std::isnan(bootstrap.interval(std::vector<double>{7}).first));
  EXPECT_TRUE(std::isnan(bootstrap.interval(std::vector<double>(5001, 1)).first));
}

TEST(Bootstrap, AgreesWithStudentWhereValuesAreNormalAndLeansWhereTheyAreNot) {
  std::mt19937 generator(5);
  std::normal_distribution<double> normal(1000, 2);
  std::vector<double> values(300);
  for (double& value : values) value = normal(generator);
  Bootstrap bootstrap;
  const auto [low, high] = bootstrap.interval(values);
  std::vector<int> pictures(values.size());
  std::iota(pictures.begin(), pictures.end(), 0);
  const PairedDifference student =
      pairedDifference({pictures, values}, {pictures, std::vector<double>(values.size())});
  EXPECT_NEAR(high - low, student.high - student.low, 0.06 * (high - low));
  EXPECT_NEAR((high + low) / 2, student.mean, 0.05 * (high - low));
  EXPECT_EQ(bootstrap.interval(values), (Bootstrap().interval(values))) << "drawn alike each time";
  // One picture in twenty is far above.
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 20 == 0 ? 100 : 0;
  const auto skewed = bootstrap.interval(values);
  const double mean = 5;
  EXPECT_GT(skewed.second - mean, 1.02 * (mean - skewed.first));
}

TEST(PairedDifference, IsResampledWhereAsked) {
  Bootstrap bootstrap;
  const double none = std::numeric_limits<double>::quiet_NaN();
  const PairedDifference difference =
      pairedDifference({{0, 1, 2}, {4, 6, none}}, {{0, 1, 2}, {1, 1, 1}}, &bootstrap);
  EXPECT_EQ(difference.count, 2);
  EXPECT_NEAR(difference.bootstrapLow, 3, 1e-6);
  EXPECT_NEAR(difference.bootstrapHigh, 5, 1e-6);
  EXPECT_TRUE(std::isnan(pairedDifference({{0, 1}, {4, 6}}, {{0, 1}, {1, 1}}).bootstrapLow));
}

}  // namespace
}  // namespace softscope
