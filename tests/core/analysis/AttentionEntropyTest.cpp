#include "core/Error.h"
#include "core/analysis/AttentionEntropy.h"
#include "core/attention/DenseMap.h"
#include "core/attention/FactoredMap.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace softscope {
namespace {

using test::randomMatrix;
using test::randomStack;

TEST(RowEntropy, IsThatOfTheMagnitudesAsADistribution) {
  EXPECT_NEAR(rowEntropy(Vector::Constant(50, 0.02f)), std::log(50), 1e-9);
  EXPECT_EQ(rowEntropy(Vector{{0, 0, 3, 0}}), 0);
  // Weights 1/2, 1/4, 1/4, whatever the sign and the scale.
  EXPECT_NEAR(rowEntropy(Vector{{-2e-6f, 1e-6f, 0, 1e-6f}}), 1.5 * std::log(2), 1e-7);
  EXPECT_TRUE(std::isnan(rowEntropy(Vector::Zero(4))));
}

TEST(EntropyMap, IsEveryPatchsRowWithoutPrefixTokensAmongTheQueries) {
  const Matrix weights = randomMatrix(13, 9, 1);
  const DenseMap map({.queryGrid = TokenGrid{3, 4}, .keyGrid = TokenGrid{2, 4}, .prefixTokens = 1},
                     MatrixStack({weights}));
  const auto entropy = entropyMap(map, 0);
  ASSERT_TRUE(entropy);
  EXPECT_EQ(entropy->grid, (TokenGrid{3, 4}));
  EXPECT_NEAR(entropy->largestPossible, std::log(9), 1e-12);
  for (int patch = 0; patch < 12; ++patch) {
    const Eigen::ArrayXd magnitudes = weights.row(1 + patch).cast<double>().array().abs();
    const Eigen::ArrayXd p = magnitudes / magnitudes.sum();
    EXPECT_NEAR(entropy->entropy[patch], -(p * p.log()).sum(), 1e-6);
  }
}

TEST(EntropyMap, OfALargeGridIsAnEvenSampleOfIt) {
  // Row i attends to 1 + column(i) keys alike, so the map shows the columns sampled.
  const TokenGrid grid{100, 128};
  Matrix left = Matrix::Zero(grid.count(), grid.width);
  for (int patch = 0; patch < grid.count(); ++patch) left(patch, patch % grid.width) = 1;
  Matrix right = Matrix::Zero(grid.width, grid.width);
  for (int keys = 0; keys < grid.width; ++keys) right.col(keys).head(keys + 1).setOnes();
  const FactoredMap map({.queryGrid = grid}, MatrixStack({left}), {}, MatrixStack({right}));
  const auto entropy = entropyMap(map, 0);
  ASSERT_TRUE(entropy);
  EXPECT_LE(entropy->grid.count(), 4096);
  EXPECT_GT(entropy->grid.count(), 3500);
  for (int column = 0; column < entropy->grid.width; ++column) {
    const double sampled = (column + 0.5) * grid.width / entropy->grid.width;
    EXPECT_NEAR(std::exp(entropy->entropy[column]), 1 + sampled, 1.5);
  }
}

TEST(EntropyMap, IsUndefinedWhereQueriesAreNotPatches) {
  const DenseMap channels({.mechanism = "xca_channel"}, randomStack(2, 8, 8, 1));
  EXPECT_FALSE(entropyMap(channels, 0));
}

TEST(MeanEntropyShare, IsOneForUniformRowsAndSkipsRowsOfZeros) {
  Matrix weights = Matrix::Constant(4, 8, 0.3f);
  weights.row(1).setZero();
  const AttentionDescription description{.queryGrid = TokenGrid{2, 2}};
  EXPECT_NEAR(*meanEntropyShare(DenseMap(description, MatrixStack({weights})), 0), 1, 1e-6);
  weights.row(0).setZero();
  weights(0, 5) = 2;
  EXPECT_NEAR(*meanEntropyShare(DenseMap(description, MatrixStack({weights})), 0), 2. / 3, 1e-6);
  const DenseMap zeros(description, MatrixStack({Matrix(Matrix::Zero(4, 8))}));
  EXPECT_FALSE(meanEntropyShare(zeros, 0));
  const DenseMap oneKey(description, MatrixStack({Matrix(Matrix::Ones(4, 1))}));
  EXPECT_FALSE(meanEntropyShare(oneKey, 0));
}

TEST(MeanEntropyShare, IsNotDefinedIfAWeightIsNotFinite) {
  const AttentionDescription description{.queryGrid = TokenGrid{2, 2}};
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Matrix weights = Matrix::Ones(4, 8);
    weights(2, 3) = bad;
    EXPECT_FALSE(meanEntropyShare(DenseMap(description, MatrixStack({weights})), 0));
  }
}

TEST(EntropyMap, StopsWhenCancelled) {
  const DenseMap map({.queryGrid = TokenGrid{2, 4}}, randomStack(1, 8, 8, 1));
  Progress progress;
  progress.cancel();
  EXPECT_THROW(entropyMap(map, 0, progress), Cancelled);
}

TEST(EntropyMap, IsTheSameWhereverTheClassTokenStands) {
  for (const TokenGrid& grid : {TokenGrid{3, 4}, TokenGrid{66, 64}}) {
    const int tokens = grid.count() + 1;
    // Some keys are enough, and the class token has a row of its own.
    const Matrix weights = randomMatrix(tokens, 5, 3);
    Matrix moved(tokens, 5);
    moved << weights.bottomRows(grid.count()), weights.row(0);
    const DenseMap first({.queryGrid = grid, .prefixTokens = 1}, MatrixStack({weights}));
    const DenseMap last({.queryGrid = grid, .suffixTokens = 1}, MatrixStack({moved}));
    EXPECT_EQ(entropyMap(last, 0)->entropy, entropyMap(first, 0)->entropy) << grid.height;
  }
}

}  // namespace
}  // namespace softscope
