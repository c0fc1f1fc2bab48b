#include "core/Error.h"
#include "core/attention/MixedSoftmaxMap.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace softscope {
namespace {

using test::randomMatrix;
using test::randomStack;
using test::relativeDifference;

constexpr double mixedScale = 0.6;
constexpr TokenGrid mixedGrid{2, 3};

/// The bias of one pair, straight from the definition: y rows below, x columns right of the key.
double biasBetween(const Matrix& tables, int head, int query, int key) {
  const int y = query / mixedGrid.width - key / mixedGrid.width;
  const int x = query % mixedGrid.width - key % mixedGrid.width;
  return tables(head,
                (y + mixedGrid.height - 1) * (2 * mixedGrid.width - 1) + x + mixedGrid.width - 1);
}

/// The whole of one softmax, entry by entry in double.
Eigen::MatrixXd denseSoftmax(Eigen::MatrixXd scores) {
  scores = scores.array().exp();
  for (int i = 0; i < scores.rows(); ++i) scores.row(i) /= scores.row(i).sum();
  return scores;
}

void expectMatrix(const AttentionMap& map, int head, const Eigen::MatrixXd& expected) {
  for (int i = 0; i < expected.rows(); ++i) {
    EXPECT_LT(relativeDifference(map.row(head, i), expected.row(i).transpose()), 1e-5);
  }
  for (int j = 0; j < expected.cols(); ++j) {
    EXPECT_LT(relativeDifference(map.column(head, j), expected.col(j)), 1e-5);
  }
  EXPECT_LT(relativeDifference(map.whole(head, 1 << 20), expected), 1e-5);
}

TEST(MixedSoftmaxMap, MixesHeadsBeforeAndAfterTheSoftmax) {
  const MatrixStack query = randomStack(3, 7, 4, 1);
  const MatrixStack key = randomStack(3, 5, 4, 2);
  const Matrix before = randomMatrix(3, 3, 3);
  const Matrix after = randomMatrix(2, 3, 4);
  const Vector added = Vector::LinSpaced(2, -0.2f, 0.3f);
  const MixedSoftmaxMap map({.mechanism = "test"}, {.query = query,
                                                    .key = key,
                                                    .scale = mixedScale,
                                                    .before = before,
                                                    .after = after,
                                                    .added = added});
  EXPECT_EQ(map.description().heads, 2);
  EXPECT_EQ(map.description().queries, 7);
  EXPECT_EQ(map.description().keys, 5);
  for (int h = 0; h < 2; ++h) {
    Eigen::MatrixXd expected = Eigen::MatrixXd::Constant(7, 5, added[h]);
    for (int g = 0; g < 3; ++g) {
      Eigen::MatrixXd scores = Eigen::MatrixXd::Zero(7, 5);
      for (int f = 0; f < 3; ++f) {
        scores +=
            before(g, f) * mixedScale * query[f].cast<double>() * key[f].cast<double>().transpose();
      }
      expected += double(after(h, g)) * denseSoftmax(scores);
    }
    expectMatrix(map, h, expected);
  }
}

TEST(MixedSoftmaxMap, AddsTheBiasOfTheDistance) {
  const MatrixStack query = randomStack(2, 6, 4, 1);
  const MatrixStack key = randomStack(2, 6, 4, 2);
  const Matrix tables = randomMatrix(2, 3 * 5, 3);
  const MixedSoftmaxMap map({.mechanism = "test"}, {.query = query,
                                                    .key = key,
                                                    .scale = mixedScale,
                                                    .bias = RelativeBias(tables, mixedGrid, 0)});
  for (int h = 0; h < 2; ++h) {
    Eigen::MatrixXd scores =
        mixedScale * query[h].cast<double>() * key[h].cast<double>().transpose();
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) scores(i, j) += biasBetween(tables, h, i, j);
    }
    expectMatrix(map, h, denseSoftmax(scores));
  }
}

TEST(MixedSoftmaxMap, ClassTokenHasEntriesOfItsOwn) {
  const MatrixStack zeros(std::vector<Matrix>{Matrix::Zero(7, 1)});
  Matrix tables = Matrix::Zero(1, 3 * 5 + 3);
  tables.row(0).tail(3) << 1, 2, 3;
  const MixedSoftmaxMap map(
      {.mechanism = "test"},
      {.query = zeros, .key = zeros, .bias = RelativeBias(tables, mixedGrid, 1)});
  const double ofClass = std::exp(3.0) + 6 * std::exp(1.0);
  EXPECT_NEAR(map.row(0, 0)[0], std::exp(3.0) / ofClass, 1e-6);
  EXPECT_NEAR(map.row(0, 0)[4], std::exp(1.0) / ofClass, 1e-6);
  const double ofPatch = std::exp(2.0) + 6;
  EXPECT_NEAR(map.row(0, 5)[0], std::exp(2.0) / ofPatch, 1e-6);
  EXPECT_NEAR(map.row(0, 5)[5], 1 / ofPatch, 1e-6);
  EXPECT_NEAR(map.column(0, 0)[5], std::exp(2.0) / ofPatch, 1e-6);
}

TEST(MixedSoftmaxMap, PairsOfInfiniteBiasAreExactlyZero) {
  const MatrixStack query = randomStack(1, 6, 4, 1);
  Matrix tables = Matrix::Zero(1, 3 * 5);
  tables(0, 1 * 5 + 3) = -std::numeric_limits<float>::infinity();  // one column to the right
  const MixedSoftmaxMap map(
      {.mechanism = "test"},
      {.query = query, .key = query, .bias = RelativeBias(tables, mixedGrid, 0)});
  EXPECT_EQ(map.row(0, 1)[0], 0);
  EXPECT_EQ(map.column(0, 0)[1], 0);
  EXPECT_GT(map.row(0, 0)[1], 0);
  EXPECT_NEAR(map.row(0, 1).sum(), 1, 1e-6);
}

TEST(RelativeBias, RefusesTablesOfAnotherGrid) {
  EXPECT_THROW(RelativeBias(Matrix::Zero(1, 14), mixedGrid, 0), InspectionError);
  EXPECT_THROW(RelativeBias(Matrix::Zero(1, 15), mixedGrid, 1), InspectionError);
  EXPECT_THROW(RelativeBias(Matrix::Zero(1, 18), mixedGrid, 2), InspectionError);
  EXPECT_NO_THROW(RelativeBias(Matrix::Zero(1, 18), mixedGrid, 1));
}

}  // namespace
}  // namespace softscope
