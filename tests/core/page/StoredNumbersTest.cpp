#include "core/page/StoredNumbers.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace softscope {
namespace {

double worstError(const MatrixStack& stack, StoredPrecision precision) {
  const StoredStack stored = storedStack(stack, precision);
  double worst = 0;
  for (int i = 0; i < stack.count(); ++i) {
    const Eigen::ArrayXXd own = stack[i].cast<double>().array();
    const Eigen::ArrayXXd apart = (own - stored.rounded[i].cast<double>().array()).abs();
    worst = std::max(worst, (apart / own.abs()).maxCoeff());
  }
  return worst;
}

TEST(StoredNumbersTest, OneHalfKeepsElevenBitsAndTwoKeepTwentyTwo) {
  for (const float scale : {1e-20f, 1.0f, 3e7f}) {
    const Matrix values = scale * (Matrix::Random(20, 30).array().abs() + 0.1f).matrix();
    const MatrixStack stack(std::vector<Matrix>{values, 2 * values});
    EXPECT_LE(worstError(stack, StoredPrecision::Half), std::pow(2.0, -11));
    EXPECT_GT(worstError(stack, StoredPrecision::Half), std::pow(2.0, -13));
    EXPECT_LE(worstError(stack, StoredPrecision::TwoHalves), std::pow(2.0, -22));
  }
}

TEST(StoredNumbersTest, WhatIsNotFiniteStays) {
  Matrix values(1, 4);
  values << 1, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
      std::numeric_limits<float>::quiet_NaN();
  for (const auto precision : {StoredPrecision::Half, StoredPrecision::TwoHalves}) {
    const MatrixStack rounded = storedStack(MatrixStack({values}), precision).rounded;
    EXPECT_EQ(rounded[0](0, 0), 1);
    EXPECT_EQ(rounded[0](0, 1), values(0, 1));
    EXPECT_EQ(rounded[0](0, 2), values(0, 2));
    EXPECT_TRUE(std::isnan(rounded[0](0, 3)));
  }
}

TEST(StoredNumbersTest, TextIsAsLongAsWasSaid) {
  const MatrixStack stack({Matrix::Random(30, 20)});
  for (const auto precision : {StoredPrecision::Half, StoredPrecision::TwoHalves}) {
    const auto json = storedStack(stack, precision).json;
    EXPECT_NEAR(static_cast<double>(json.dump().size()),
                static_cast<double>(storedBytes(600, precision)), 120);
    EXPECT_EQ(json.contains("low"), precision == StoredPrecision::TwoHalves);
  }
}

}  // namespace
}  // namespace softscope
