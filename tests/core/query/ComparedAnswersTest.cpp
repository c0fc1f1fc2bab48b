#include "core/attention/DenseMap.h"
#include "core/query/ComparedAnswers.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace softscope {
namespace {

AttentionDescription squareGrid(int side, int prefix, std::optional<int> keySide = {}) {
  AttentionDescription description{.mechanism = "softmax"};
  description.queryGrid = TokenGrid{side, side};
  description.keyGrid = TokenGrid{keySide.value_or(side), keySide.value_or(side)};
  description.prefixTokens = prefix;
  return description;
}

CompareRow rowOf(const std::string& name, const AttentionDescription& description,
                 const Matrix& weights) {
  LayerInspection layer;
  layer.name = "attn";
  layer.attention = std::make_shared<DenseMap>(description, MatrixStack({weights}));
  return {.modelName = name, .region = {0, 0, 64, 64}, .layer = layer};
}

/// Returns the row of a layer whose attention is uniform.
CompareRow uniformRow(const std::string& name, int side, int prefix = 0) {
  const int tokens = side * side + prefix;
  return rowOf(name, squareGrid(side, prefix),
               Matrix::Constant(tokens, tokens, 1.0f / float(tokens)));
}

/// Returns a row of random weights that sum to 1 for each query.
CompareRow randomRow(const std::string& name, int side, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> entries(0, 1);
  const int tokens = side * side;
  Matrix weights(tokens, tokens);
  for (float& entry : weights.reshaped()) entry = entries(random);
  for (int row = 0; row < tokens; ++row) weights.row(row) /= weights.row(row).sum();
  return rowOf(name, squareGrid(side, 0), weights);
}

ComparedAnswer differenceIn(const std::vector<CompareRow>& rows, Direction direction,
                            bool normalised = false) {
  const std::vector<PictureQuery> queries{{.x = 0.3, .y = 0.6}};
  const std::vector<RowDifference> differences{{0, 1, normalised}};
  ComparedQuestion question{.rows = rows, .differences = differences, .queries = queries};
  question.shown = {.heads = {0}};
  question.direction = direction;
  return compareAnswers(question).back();
}

TEST(ComparedDifference, OfUniformMapsIsZeroWhateverTheirGrids) {
  for (const Direction direction : {Direction::Rows, Direction::Columns}) {
    for (const bool coarserFirst : {false, true}) {
      std::vector<CompareRow> rows{uniformRow("a", 8), uniformRow("b", 4)};
      if (coarserFirst) std::swap(rows[0], rows[1]);
      const ComparedAnswer answer = differenceIn(rows, direction);
      ASSERT_EQ(answer.values.size(), 1u);
      EXPECT_EQ(answer.values[0].patches.size(), 64);
      EXPECT_LT(answer.values[0].patches.cwiseAbs().maxCoeff(), 1e-7);
      EXPECT_TRUE(answer.resampled);
      EXPECT_TRUE(answer.sharedOut);
    }
  }
}

TEST(ComparedDifference, OfRowsThatSumToOneSumsToZero) {
  for (const int coarse : {4, 5, 3}) {
    const ComparedAnswer answer =
        differenceIn({randomRow("a", 8, 1), randomRow("b", coarse, 2)}, Direction::Rows);
    EXPECT_NEAR(answer.values.at(0).patches.cast<double>().sum(), 0, 1e-6) << coarse;
  }
}

TEST(ComparedDifference, LeavesWeightsOnSingleTokensAsTheyAre) {
  const ComparedAnswer answer =
      differenceIn({uniformRow("a", 4, 1), uniformRow("b", 2, 1)}, Direction::Rows);
  ASSERT_EQ(answer.values.at(0).prefix.size(), 1);
  EXPECT_FLOAT_EQ(answer.values[0].prefix[0], 1.0f / 17 - 1.0f / 5);
  EXPECT_NEAR(answer.values[0].patches.sum() + answer.values[0].prefix[0], 0, 1e-6);
}

TEST(ComparedDifference, OfColumnsGoesByTheAreaOfTheKeys) {
  // The queries' grids are one, and the keys of the second layer are four times as large.
  const CompareRow fine = rowOf("a", squareGrid(4, 0), Matrix::Constant(16, 16, 1.0f / 16));
  const CompareRow coarse = rowOf("b", squareGrid(4, 0, 2), Matrix::Constant(16, 4, 1.0f / 4));
  const ComparedAnswer answer = differenceIn({fine, coarse}, Direction::Columns);
  EXPECT_LT(answer.values.at(0).patches.cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_FALSE(answer.resampled);
  EXPECT_TRUE(answer.sharedOut);
}

TEST(ComparedDifference, OfNormalisedMapsComparesThemPatchByPatch) {
  const ComparedAnswer answer =
      differenceIn({uniformRow("a", 8), uniformRow("b", 4)}, Direction::Rows, true);
  EXPECT_LT(answer.values.at(0).patches.cwiseAbs().maxCoeff(), 1e-7) << "both are 1 everywhere";
  EXPECT_TRUE(answer.resampled);
  EXPECT_FALSE(answer.sharedOut);
}

}  // namespace
}  // namespace softscope
