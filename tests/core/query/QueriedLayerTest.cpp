#include "core/attention/DenseMap.h"
#include "core/query/QueriedLayer.h"
#include "tests/core/SyntheticAttention.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace softscope {
namespace {

/// A layer on 2 x 2 patches whose head 0 is positive, and whose head 1 holds `other` everywhere.
LayerInspection layerBeside(float other) {
  LayerInspection layer;
  layer.name = "blocks.0.attn";
  layer.attention = std::make_shared<DenseMap>(
      test::gridAttention(2, 2, 2),
      MatrixStack(std::vector<Matrix>{Matrix::Constant(4, 4, 1), Matrix::Constant(4, 4, other)}));
  return layer;
}

bool isBesideSigned(const LayerInspection& layer, const ShownHeads& heads) {
  const PictureExtent whole(Picture{64, 64, {}, {}}, PictureRegion{0, 0, 64, 64});
  const QueriedLayer asked = askLayer(layer, whole, {0.1, 0.1}, Direction::Rows, heads);
  return asked.values.front().isBesideSigned;
}

TEST(QueriedLayer, KnowsOfSignedHeadsThatAreNotShown) {
  EXPECT_TRUE(isBesideSigned(layerBeside(-0.5f), {.heads = {0}}));
  EXPECT_TRUE(isBesideSigned(layerBeside(-0.5f), {.single = false, .mean = true}));
  EXPECT_FALSE(isBesideSigned(layerBeside(-0.5f), {.heads = {1}}));
  EXPECT_FALSE(isBesideSigned(layerBeside(-0.5f), {}));
  EXPECT_FALSE(isBesideSigned(layerBeside(0.5f), {.heads = {0}}));
}

/// The name of the query for a single token of a layer with two of them before 2 x 2 patches.
std::string nameOfSingleToken(const std::vector<std::string>& names, int token) {
  AttentionDescription description = test::gridAttention(1, 2, 2, 2);
  description.prefixNames = names;
  LayerInspection layer;
  layer.attention = test::syntheticMap(description);
  const PictureQuery query{.x = 0.5, .y = 0.5, .prefixToken = token};
  return queryName(askLayer(layer, {}, query, Direction::Rows, {}));
}

TEST(QueriedLayer, NamesOnlyTheClassTokenClass) {
  EXPECT_EQ(nameOfSingleToken({}, 0), "row_class");
  EXPECT_EQ(nameOfSingleToken({}, 1), "row_token1");
  EXPECT_EQ(nameOfSingleToken({"register 1", "register 2"}, 0), "row_token0");
  EXPECT_EQ(nameOfSingleToken({"register 1", "class token"}, 0), "row_token0");
  EXPECT_EQ(nameOfSingleToken({"register 1", "class token"}, 1), "row_class");
}

TEST(QueriedLayer, NamesTheOnlyQueryOfClassAttentionClass) {
  AttentionDescription description;
  description.mechanism = "softmax_class";
  description.heads = 1;
  description.queries = 1;
  description.keys = 5;
  description.keyGrid = TokenGrid{2, 2};
  description.prefixTokens = 1;
  LayerInspection layer;
  layer.attention = test::syntheticMap(description);
  EXPECT_EQ(queryName(askLayer(layer, {}, {}, Direction::Rows, {})), "row_class");
}

}  // namespace
}  // namespace softscope
