#include "core/analysis/SaliencyAnalysis.h"
#include "core/attention/DenseMap.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace softscope {
namespace {

LayerInspection layer(const AttentionDescription& description) {
  return {.attention = std::make_shared<DenseMap>(description, test::randomStack(2, 5, 5, 1)),
          .queryL1 = Matrix{{9, 1, 2, 3, 5}, {0, 4, 4, 4, 4}},
          .keyL1 = Matrix{{9, 2, 2, 2, 3}, {9, 1, 3, 1, 1}}};
}

TEST(Saliency, ScalesPatchesToZeroAndOnePerHeadAndSummed) {
  const TokenGrid grid{2, 2};
  const LayerInspection inspected = layer({.queryGrid = grid, .keyGrid = grid, .prefixTokens = 1});
  const auto queries = querySaliency(inspected);
  ASSERT_TRUE(queries);
  EXPECT_EQ(queries->grid, grid);
  ASSERT_EQ(queries->heads.size(), 2u);
  EXPECT_TRUE(queries->heads[0].values.isApprox(Vector{{0, 0.25f, 0.5f, 1}}));
  EXPECT_EQ(queries->heads[0].norms, (Vector{{1, 2, 3, 5}})) << "as they are";
  EXPECT_EQ(queries->heads[0].smallest, 1);
  EXPECT_EQ(queries->heads[0].largest, 5);
  EXPECT_EQ(queries->heads[1].values, Vector::Zero(4)) << "all alike";
  EXPECT_TRUE(queries->summed.values.isApprox(Vector{{0, 0.25f, 0.5f, 1}}));
  EXPECT_EQ(queries->summed.smallest, 5);
  EXPECT_EQ(queries->summed.largest, 9);

  const auto keys = keySaliency(inspected);
  ASSERT_TRUE(keys);
  EXPECT_TRUE(keys->heads[1].values.isApprox(Vector{{0, 1, 0, 0}}));
  EXPECT_TRUE(keys->summed.values.isApprox(Vector{{0, 1, 0, 0.5f}}));
}

TEST(Saliency, KnowsWhereKeysAreTheQueries) {
  const TokenGrid grid{2, 2};
  LayerInspection inspected = layer({.queryGrid = grid, .keyGrid = grid});
  EXPECT_FALSE(keysAreQueries(inspected));
  inspected.keyL1 = inspected.queryL1;
  EXPECT_TRUE(keysAreQueries(inspected));
  inspected.keyL1 = inspected.queryL1.leftCols(4);
  EXPECT_FALSE(keysAreQueries(inspected));
  inspected.queryL1 = inspected.keyL1 = {};
  EXPECT_FALSE(keysAreQueries(inspected));
}

TEST(Saliency, IsUndefinedWithoutPatchesOrWithoutNorms) {
  EXPECT_FALSE(querySaliency(layer({.mechanism = "xca_channel"})));
  LayerInspection classAttention = layer({.keyGrid = TokenGrid{2, 2}, .prefixTokens = 1});
  EXPECT_FALSE(querySaliency(classAttention));
  EXPECT_TRUE(keySaliency(classAttention));
  classAttention.keyL1 = {};
  EXPECT_FALSE(keySaliency(classAttention));
}

TEST(Saliency, LeavesOutTokensBehindThePatches) {
  const TokenGrid grid{1, 3};
  const LayerInspection inspected =
      layer({.queryGrid = grid, .keyGrid = grid, .prefixTokens = 1, .suffixTokens = 1});
  ASSERT_TRUE(querySaliency(inspected));
  EXPECT_EQ(querySaliency(inspected)->heads[0].norms, (Vector{{1, 2, 3}}));
  EXPECT_EQ(keySaliency(inspected)->heads[1].norms, (Vector{{1, 3, 1}}));
}

std::string obstacleOf(const LayerInspection& layer, SaliencySide side) {
  const auto inspection = std::make_shared<const Inspection>(Inspection{.layers = {layer}});
  return computeSaliency({{"net", "", inspection, 0, {}}}, {.of = side}).front().obstacle;
}

TEST(LayerSaliency, SaysThatNormsAreNotKnownWherePatchesAre) {
  using ::testing::AllOf;
  using ::testing::HasSubstr;
  using ::testing::Not;
  const TokenGrid grid{2, 2};
  LayerInspection recorded = layer({.queryGrid = grid, .keyGrid = grid, .prefixTokens = 1});
  const Matrix norms = recorded.queryL1;
  recorded.queryL1 = recorded.keyL1 = {};
  for (const SaliencySide side : {SaliencySide::Both, SaliencySide::Queries, SaliencySide::Keys}) {
    EXPECT_THAT(obstacleOf(recorded, side),
                AllOf(HasSubstr("norms of this layer's queries and keys are not known"),
                      HasSubstr("q_l1"), Not(HasSubstr("no queries or keys that are patches"))));
  }
  recorded.keyL1 = norms;
  EXPECT_EQ(obstacleOf(recorded, SaliencySide::Both), "");
  EXPECT_THAT(obstacleOf(recorded, SaliencySide::Queries),
              AllOf(HasSubstr("norms of this layer's queries are not known"),
                    HasSubstr("choose its keys")));
  EXPECT_THAT(obstacleOf(layer({.mechanism = "xca_channel"}), SaliencySide::Both),
              HasSubstr("no queries or keys that are patches"));
}

}  // namespace
}  // namespace softscope
