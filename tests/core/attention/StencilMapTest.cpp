#include "core/Error.h"
#include "core/attention/StencilMap.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

using test::averagedOverAreas;
using test::randomMatrix;
using test::randomStack;
using test::relativeDifference;

constexpr int stencilHeads = 2;

struct StencilSizes {
  int height;
  int width;
  int side;
};

/// What a convolution without flip and with zeros around makes of unit vectors, one by one.
Eigen::MatrixXd convolutionMatrix(const Matrix& filter, int height, int width) {
  const int tokens = height * width;
  const int reach = static_cast<int>(filter.rows()) / 2;
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(tokens, tokens);
  for (int key = 0; key < tokens; ++key) {
    // The picture is 1 at this key and 0 elsewhere, with a margin of zeros.
    Eigen::MatrixXd padded = Eigen::MatrixXd::Zero(height + 2 * reach, width + 2 * reach);
    padded(key / width + reach, key % width + reach) = 1;
    for (int i = 0; i < height; ++i) {
      for (int j = 0; j < width; ++j) {
        matrix(i * width + j, key) =
            filter.cast<double>()
                .cwiseProduct(padded.block(i, j, filter.rows(), filter.cols()))
                .sum();
      }
    }
  }
  return matrix;
}

AttentionDescription described(int height, int width) {
  AttentionDescription description;
  description.queryGrid = TokenGrid{height, width};
  return description;
}

class StencilMapTest : public ::testing::TestWithParam<StencilSizes> {
 protected:
  StencilMapTest()
      : filters_(randomStack(stencilHeads, GetParam().side, GetParam().side, 9)),
        map_(described(GetParam().height, GetParam().width), filters_),
        expected_(convolutionMatrix(filters_[1], GetParam().height, GetParam().width)) {}

  int tokens() const { return GetParam().height * GetParam().width; }

  MatrixStack filters_;
  StencilMap map_;
  Eigen::MatrixXd expected_;
};

TEST_P(StencilMapTest, IsTheMatrixOfTheConvolution) {
  EXPECT_EQ(map_.description().heads, stencilHeads);
  EXPECT_EQ(map_.description().queries, tokens());
  EXPECT_EQ(map_.description().keys, tokens());
  EXPECT_EQ(map_.description().keyGrid, map_.description().queryGrid);
  EXPECT_EQ(map_.whole(1, 1 << 24).cast<double>(), expected_) << "to the last bit, borders too";
  for (int i = 0; i < tokens(); ++i) {
    EXPECT_EQ(map_.row(1, i).cast<double>(), expected_.row(i).transpose()) << i;
    EXPECT_EQ(map_.column(1, i).cast<double>(), expected_.col(i)) << i;
  }
  EXPECT_EQ(map_.block(1, 2, 3, 7, 5).cast<double>(), expected_.block(2, 3, 7, 5));
}

TEST_P(StencilMapTest, MultipliesVectors) {
  const Eigen::VectorXd x = randomMatrix(tokens(), 1, 3).cast<double>();
  EXPECT_LT(relativeDifference(map_.times(1, x), expected_ * x), 1e-14);
  EXPECT_LT(relativeDifference(map_.transposedTimes(1, x), expected_.transpose() * x), 1e-14);
}

TEST_P(StencilMapTest, AveragesAreas) {
  EXPECT_LT(relativeDifference(map_.averaged(1, map_.wholePart(), 5, 5),
                               averagedOverAreas(expected_, 5, 5)),
            1e-6);
  const Eigen::MatrixXd cut = expected_.block(1, 2, tokens() - 3, tokens() - 4);
  const MatrixPart part{1, 2, tokens() - 3, tokens() - 4};
  EXPECT_LT(relativeDifference(map_.averaged(1, part, 4, 3), averagedOverAreas(cut, 4, 3)), 1e-6);
  EXPECT_EQ(map_.averaged(1, part, 9999, 9999).cast<double>(), cut) << "never enlarged";
}

// Grids that are not square, filters wider than the grid, and one that reaches nowhere.
INSTANTIATE_TEST_SUITE_P(StencilSizes, StencilMapTest,
                         ::testing::Values(StencilSizes{5, 7, 3}, StencilSizes{6, 4, 5},
                                           StencilSizes{3, 4, 9}, StencilSizes{4, 3, 1}));

TEST(StencilMap, HoldsNoMoreThanItsFilters) {
  const StencilMap map(described(256, 256), randomStack(3, 7, 7, 1));
  EXPECT_EQ(map.bytes(), 3u * 7 * 7 * sizeof(float));
  EXPECT_EQ((map.row(2, 65535).array() != 0).count(), 4 * 4) << "a corner has a quarter of them";
}

TEST(StencilMap, WhatIsNoMatrixOnThePatchesIsRefused) {
  EXPECT_THROW(StencilMap(described(4, 4), randomStack(1, 4, 4, 1)), InspectionError);
  EXPECT_THROW(StencilMap(described(4, 4), randomStack(1, 3, 5, 1)), InspectionError);
  EXPECT_THROW(StencilMap({}, randomStack(1, 3, 3, 1)), InspectionError);
  const StencilMap map(described(4, 4), randomStack(1, 3, 3, 1));
  EXPECT_THROW(map.row(0, 16), InspectionError);
  EXPECT_THROW(map.column(1, 0), InspectionError);
  EXPECT_THROW(map.block(0, 10, 0, 7, 1), InspectionError);
}

}  // namespace
}  // namespace softscope
