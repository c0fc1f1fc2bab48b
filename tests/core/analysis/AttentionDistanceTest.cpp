#include "core/Error.h"
#include "core/analysis/AttentionDistance.h"
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
  EXPECT_NEAR(uniformDistance(description, 96, 160).value(),
              distanceByDefinition(equal, {6, 10}, {3, 5}, 96, 160), 1e-9);
  description.keyGrid.reset();
  EXPECT_FALSE(uniformDistance(description, 96, 160).has_value());
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
}  // namespace softscope
