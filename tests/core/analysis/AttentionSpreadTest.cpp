#include "core/Error.h"
#include "core/analysis/AttentionSpread.h"
#include "core/attention/DenseMap.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/StencilMap.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace softscope {
namespace {

using test::randomMatrix;
using test::randomStack;

/// By definition, patch by patch. The matrix has a prefix token before queries and keys.
double distanceByDefinition(const Matrix& weights, const TokenGrid& queries, const TokenGrid& keys,
                            double height, double width) {
  double sum = 0;
  for (int q = 0; q < queries.count(); ++q) {
    double weighted = 0;
    double total = 0;
    for (int k = 0; k < keys.count(); ++k) {
      const double x =
          width * ((k % keys.width + 0.5) / keys.width - (q % queries.width + 0.5) / queries.width);
      const double y = height * ((k / keys.width + 0.5) / keys.height -
                                 (q / queries.width + 0.5) / queries.height);
      const double weight = std::abs(weights(q + 1, k + 1));
      weighted += weight * std::hypot(x, y);
      total += weight;
    }
    sum += weighted / total;
  }
  return sum / queries.count();
}

TEST(AttentionDistance, OfUniformAttentionIsThatOfEqualWeights) {
  AttentionDescription description;
  description.queryGrid = TokenGrid{6, 10};
  description.keyGrid = TokenGrid{3, 5};
  const Matrix equal = Matrix::Constant(61, 16, 0.01f);
  EXPECT_NEAR(uniformDistance(DenseMap(description, MatrixStack({equal})), 96, 160).value(),
              distanceByDefinition(equal, {6, 10}, {3, 5}, 96, 160), 1e-9);
  description.keyGrid.reset();
  EXPECT_FALSE(uniformDistance(DenseMap(description, MatrixStack({equal})), 96, 160).has_value());
}

TEST(AttentionDistance, OfUniformAttentionIsNotDefinedWhereQueriesSeeFewKeys) {
  const TokenGrid grid{6, 6};
  const StencilMap filters({.queryGrid = grid, .keyGrid = grid}, randomStack(1, 3, 3, 1));
  EXPECT_FALSE(seesAllKeys(filters));
  EXPECT_FALSE(uniformDistance(filters, 96, 96).has_value());
  EXPECT_EQ(mostKeys(filters), 9);
}

TEST(AttentionDistance, IsItsDefinitionForCoarserKeysAndPrefixTokens) {
  const TokenGrid queries{6, 10};
  const TokenGrid keys{3, 5};
  const Matrix weights = randomMatrix(61, 16, 1);
  const DenseMap map({.queryGrid = queries, .keyGrid = keys, .prefixTokens = 1},
                     MatrixStack({weights}));
  EXPECT_NEAR(*attentionDistance(map, 0, 96, 160),
              distanceByDefinition(weights, queries, keys, 96, 160), 1e-9);
}

TEST(AttentionDistance, IsZeroForTheIdentityAndOnePatchForTheNeighbour) {
  const TokenGrid grid{4, 5};
  const AttentionDescription description{.queryGrid = grid, .keyGrid = grid};
  const DenseMap self(description, MatrixStack({Matrix::Identity(20, 20)}));
  EXPECT_EQ(attentionDistance(self, 0, 64, 80), 0);
  Matrix left = Matrix::Zero(20, 20);
  for (int patch = 0; patch < 20; ++patch) {
    // Those in the first column look right, the others left; a row of zeros does not count.
    if (patch != 7) left(patch, patch % 5 == 0 ? patch + 1 : patch - 1) = -0.25f;
  }
  const DenseMap neighbour(description, MatrixStack({left}));
  EXPECT_NEAR(*attentionDistance(neighbour, 0, 64, 80), 16, 1e-9);
}

TEST(AttentionDistance, IsNotDefinedIfAWeightIsNotFinite) {
  const TokenGrid grid{2, 2};
  const AttentionDescription description{.queryGrid = grid, .keyGrid = grid, .prefixTokens = 1};
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Matrix weights = Matrix::Ones(5, 5);
    weights(3, 2) = bad;
    EXPECT_FALSE(attentionDistance(DenseMap(description, MatrixStack({weights})), 0, 32, 32));
    // The class token counts neither as a query nor as a key.
    Matrix ofClass = Matrix::Ones(5, 5);
    ofClass.row(0).setConstant(bad);
    ofClass.col(0).setConstant(bad);
    EXPECT_TRUE(attentionDistance(DenseMap(description, MatrixStack({ofClass})), 0, 32, 32));
  }
}

TEST(AttentionDistance, OfManyTokensIsNearTheExactOne) {
  // 64 x 64 queries that all attend evenly to every patch: far more than are sampled.
  const TokenGrid grid{64, 64};
  const MatrixStack ones({Matrix::Ones(grid.count(), 1)});
  const FactoredMap map({.queryGrid = grid, .keyGrid = grid}, ones, {}, ones);
  // The mean distance of two random points of a unit square.
  EXPECT_NEAR(*attentionDistance(map, 0, 1000, 1000), 521.4, 2);
}

TEST(AttentionDistance, StopsWhenCancelled) {
  const TokenGrid grid{2, 4};
  const DenseMap map({.queryGrid = grid, .keyGrid = grid}, randomStack(1, 8, 8, 1));
  Progress progress;
  progress.cancel();
  EXPECT_THROW(attentionDistance(map, 0, 32, 64, progress), Cancelled);
}

TEST(AttentionDistance, IsTheSameWhereverTheClassTokenStands) {
  const TokenGrid grid{3, 4};
  const Matrix weights = randomMatrix(13, 13, 2);
  const DenseMap first({.queryGrid = grid, .keyGrid = grid, .prefixTokens = 1},
                       MatrixStack({weights}));
  const DenseMap last({.queryGrid = grid, .keyGrid = grid, .suffixTokens = 1},
                      MatrixStack({test::withClassTokenLast(weights)}));
  EXPECT_NEAR(*attentionDistance(last, 0, 48, 64), *attentionDistance(first, 0, 48, 64), 1e-9);
}

}  // namespace

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

TEST(MeanEntropyShare, IsNeverMoreThanOne) {
  const AttentionDescription description{.queryGrid = TokenGrid{2, 2}};
  for (int keys = 2; keys < 200; ++keys) {
    const DenseMap even(description,
                        MatrixStack({Matrix(Matrix::Constant(4, keys, 1.0f / float(keys)))}));
    EXPECT_LE(*meanEntropyShare(even, 0), 1) << keys;
    EXPECT_NEAR(*meanEntropyShare(even, 0), 1, 1e-6) << keys;
  }
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
