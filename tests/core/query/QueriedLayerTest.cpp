#include "core/attention/DenseMap.h"
#include "core/query/QueriedLayer.h"
#include "tests/core/SyntheticAttention.h"

#include <gtest/gtest.h>

#include <memory>
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

}  // namespace
}  // namespace softscope
