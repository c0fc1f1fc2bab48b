#include "core/Error.h"
#include "core/attention/FactoredMap.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

using test::averagedOverAreas;
using test::randomStack;
using test::relativeDifference;

struct FactorSizes {
  int queries;
  int keys;
  int rank;
  bool withMiddle;
};

/// Non-square maps, more columns in the factors than tokens, with and without a middle.
class FactoredMapTest : public ::testing::TestWithParam<FactorSizes> {
 protected:
  static constexpr int heads = 2;

  FactoredMapTest()
      : left_(randomStack(heads, GetParam().queries, GetParam().rank, 1)),
        middle_(GetParam().withMiddle ? randomStack(heads, GetParam().rank, GetParam().rank, 11)
                                      : MatrixStack()),
        right_(randomStack(heads, GetParam().keys, GetParam().rank, 21)),
        map_({.mechanism = "test"}, left_, middle_, right_) {}

  Eigen::MatrixXd dense(int head) const {
    const Eigen::MatrixXd left = left_[head].cast<double>();
    const Eigen::MatrixXd right = right_[head].cast<double>();
    if (middle_.empty()) return left * right.transpose();
    return left * middle_[head].cast<double>() * right.transpose();
  }

  MatrixStack left_;
  MatrixStack middle_;
  MatrixStack right_;
  FactoredMap map_;
};

TEST_P(FactoredMapTest, RowsAndColumnsAreThoseOfTheDenseMatrix) {
  EXPECT_EQ(map_.description().queries, GetParam().queries);
  EXPECT_EQ(map_.description().keys, GetParam().keys);
  for (int head = 0; head < heads; ++head) {
    const Eigen::MatrixXd expected = dense(head);
    Eigen::MatrixXd rows(expected.rows(), expected.cols());
    for (int i = 0; i < rows.rows(); ++i) rows.row(i) = map_.row(head, i).cast<double>();
    EXPECT_LT(relativeDifference(rows, expected), 1e-5);
    Eigen::MatrixXd columns(expected.rows(), expected.cols());
    for (int j = 0; j < rows.cols(); ++j) columns.col(j) = map_.column(head, j).cast<double>();
    EXPECT_LT(relativeDifference(columns, expected), 1e-5);
  }
}

TEST_P(FactoredMapTest, BlocksAndTheWholeAreThoseOfTheDenseMatrix) {
  const Eigen::MatrixXd expected = dense(1);
  EXPECT_LT(relativeDifference(map_.whole(1, 1 << 20), expected), 1e-5);
  const int rows = GetParam().queries - 2;
  const int columns = GetParam().keys - 3;
  EXPECT_LT(
      relativeDifference(map_.block(1, 1, 2, rows, columns), expected.block(1, 2, rows, columns)),
      1e-5);
}

TEST_P(FactoredMapTest, DownsamplingAveragesAreas) {
  const Eigen::MatrixXd expected =
      averagedOverAreas(dense(0), std::min(5, GetParam().queries), std::min(5, GetParam().keys));
  EXPECT_LT(relativeDifference(map_.averaged(0, map_.wholePart(), 5, 5), expected), 1e-5);
  EXPECT_LT(relativeDifference(map_.averaged(0, map_.wholePart(), 10000, 10000), dense(0)), 1e-5);
}

TEST_P(FactoredMapTest, APartIsAveragedFromItsOwnRowsAndColumns) {
  const MatrixPart part{3, 2, GetParam().queries - 4, GetParam().keys - 3};
  const Eigen::MatrixXd cut = dense(1).block(3, 2, part.rows, part.columns);
  EXPECT_LT(relativeDifference(map_.averaged(1, part, 3, 4), averagedOverAreas(cut, 3, 4)), 1e-5);
  EXPECT_LT(relativeDifference(map_.averaged(1, part, 1000, 1000), cut), 1e-5) << "never enlarged";
}

TEST_P(FactoredMapTest, WhatIsOutsideIsRefused) {
  EXPECT_THROW(map_.averaged(0, {1, 0, GetParam().queries, 1}, 4, 4), InspectionError);
  EXPECT_THROW(map_.row(heads, 0), InspectionError);
  EXPECT_THROW(map_.row(0, GetParam().queries), InspectionError);
  EXPECT_THROW(map_.column(0, -1), InspectionError);
  EXPECT_THROW(map_.block(0, 1, 0, GetParam().queries, 1), InspectionError);
  EXPECT_THROW(map_.whole(0, 16), InspectionError);
}

INSTANTIATE_TEST_SUITE_P(FactorSizes, FactoredMapTest,
                         ::testing::Values(FactorSizes{12, 12, 4, true},
                                           FactorSizes{17, 9, 5, true},
                                           FactorSizes{8, 13, 20, false},
                                           FactorSizes{30, 30, 7, false}));

TEST(FactoredMap, AveragesAPartOfAMatrixThatCouldNotBeStored) {
  constexpr int tokens = 1 << 16;
  const MatrixStack left = randomStack(1, tokens, 3, 5);
  const MatrixStack right = randomStack(1, tokens, 3, 6);
  const FactoredMap map({}, left, {}, right);
  // Rows that do not divide by the areas, far from the first.
  const MatrixPart part{60001, 123, 70, 50};
  const Eigen::MatrixXd cut = left[0].middleRows(60001, 70).cast<double>() *
                              right[0].middleRows(123, 50).cast<double>().transpose();
  EXPECT_LT(relativeDifference(map.averaged(0, part, 33, 50), averagedOverAreas(cut, 33, 50)),
            1e-5);
  EXPECT_EQ(map.averaged(0, map.wholePart(), 64, 64).rows(), 64);
}

TEST(FactoredMap, HoldsASharedFactorOnce) {
  const MatrixStack factor = randomStack(2, 100, 5, 3);
  const FactoredMap symmetric({}, factor, {}, factor);
  const FactoredMap twoFactors({}, factor, {}, randomStack(2, 100, 5, 4));
  EXPECT_TRUE(symmetric.symmetricFactors());
  EXPECT_EQ(symmetric.bytes(), 2u * 100 * 5 * 4);
  EXPECT_EQ(twoFactors.bytes(), 2 * symmetric.bytes());
}

}  // namespace
}  // namespace softscope
