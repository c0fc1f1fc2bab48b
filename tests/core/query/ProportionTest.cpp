#include "core/query/Proportion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <limits>

namespace softscope {
namespace {

Vector weightsOf(std::initializer_list<float> numbers) {
  Vector weights(static_cast<Eigen::Index>(numbers.size()));
  std::copy(numbers.begin(), numbers.end(), weights.begin());
  return weights;
}

TEST(Proportion, IsTheLargestOverTheMean) {
  EXPECT_EQ(proportionText(weightsOf({0.1f, 0.1f, 0.4f, 0.4f})), "largest 1.6 × uniform");
  Vector many = Vector::Constant(100, 0.0f);
  many[3] = 1;
  EXPECT_EQ(proportionText(many), "largest 100 × uniform");
}

TEST(Proportion, IsOfTheMeanWhereWeightsAreNoShares) {
  EXPECT_EQ(proportionText(weightsOf({0, 0, 0, 2e-7f})), "largest 4.0 × the mean")
      << "whatever their magnitude";
  EXPECT_EQ(proportionText(weightsOf({1, 1, 4, 4})), "largest 1.6 × the mean");
  EXPECT_EQ(proportionText(weightsOf({-1, -1, -4, -4})), "largest 1.6 × the mean");
  EXPECT_EQ(proportionText(weightsOf({0.09f, 0.09f, 0.36f, 0.36f})), "largest 1.6 × the mean")
      << "such as what a class token leaves";
}

TEST(Proportion, SaysWhatIsNearlyUniform) {
  EXPECT_EQ(proportionText(weightsOf({0.99f, 1, 1, 1.01f})), "nearly uniform, within 1 %");
  EXPECT_EQ(proportionText(weightsOf({0.998f, 1.002f})), "nearly uniform, within 0.2 %");
  EXPECT_EQ(proportionText(weightsOf({0.966f, 1, 1, 1.034f})), "nearly uniform, within 4 %");
  EXPECT_EQ(proportionText(weightsOf({0.25f, 0.25f, 0.25f})), "uniform");
}

TEST(Proportion, OfSignedWeightsIsOfMagnitudes) {
  EXPECT_EQ(proportionText(weightsOf({-3, 1, 1, 1})), "largest 2.0 × the mean");
}

TEST(Proportion, IsNothingWhereThereIsNone) {
  EXPECT_EQ(proportionText(weightsOf({1})), "");
  EXPECT_EQ(proportionText(weightsOf({0, 0})), "");
  EXPECT_EQ(proportionText(weightsOf({1, std::numeric_limits<float>::quiet_NaN()})), "");
}

}  // namespace
}  // namespace softscope
