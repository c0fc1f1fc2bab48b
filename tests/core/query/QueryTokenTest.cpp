#include "core/Error.h"
#include "core/attention/DenseMap.h"
#include "core/query/AttentionValues.h"
#include "core/query/QueryToken.h"
#include "tests/core/SyntheticAttention.h"

#include <gtest/gtest.h>

#include <cmath>

namespace softscope {
namespace {

using test::gridAttention;

PictureExtent croppedExtent() {
  Picture picture;
  picture.width = 200;
  picture.height = 100;
  return PictureExtent(picture, {60, 10, 80, 80});
}

TEST(QueryToken, EveryPatchCentreIsItsPatchAgain) {
  const PictureExtent extent = croppedExtent();
  for (const TokenGrid grid : {TokenGrid{14, 14}, TokenGrid{7, 9}, TokenGrid{1, 1}}) {
    for (int row = 0; row < grid.height; ++row) {
      for (int column = 0; column < grid.width; ++column) {
        const Patch patch{row, column};
        EXPECT_EQ(patchAt(grid, extent, queryAt(grid, extent, patch)), patch);
      }
    }
  }
}

TEST(QueryToken, PlacesOutsideTheCropGiveBorderPatches) {
  const PictureExtent extent = croppedExtent();
  const TokenGrid grid{4, 4};
  EXPECT_EQ(patchAt(grid, extent, {0, 0}), (Patch{0, 0}));
  EXPECT_EQ(patchAt(grid, extent, {1, 1}), (Patch{3, 3}));
  EXPECT_EQ(patchAt(grid, extent, {0.31, 0.99}), (Patch{3, 0}));
}

TEST(QueryToken, ABorderIsOfThePatchBehindItWhateverRoundingMakesOfIt) {
  const TokenGrid grid{8, 8};
  for (int border = 0; border < 8; ++border) {
    const double place = border / 8.0;
    for (const double rounded : {place, std::nextafter(place, 0.0), std::nextafter(place, 1.0)}) {
      EXPECT_EQ(patchAt(grid, {}, {rounded, rounded}), (Patch{border, border})) << rounded;
    }
  }
  // Crops of the widths of common pictures, whose middle is that of the picture.
  for (int width = 100; width < 700; ++width) {
    Picture picture;
    picture.width = width;
    picture.height = width;
    for (const double share : {0.875, 0.9, 0.95, 1.0}) {
      const double side = width * share;
      const PictureExtent extent(picture, {(width - side) / 2, (width - side) / 2, side, side});
      EXPECT_EQ(patchAt(grid, extent, {}), (Patch{4, 4})) << width << " cut to " << share;
    }
  }
  EXPECT_EQ(patchAt(grid, {}, {0.5 - 1e-6, 0.5 - 1e-6}), (Patch{3, 3})) << "a click before it";
}

TEST(QueryToken, CountsPrefixTokens) {
  const AttentionDescription attention = gridAttention(2, 4, 4, 1);
  const PictureExtent whole;
  EXPECT_EQ(queryToken(attention, whole, {0, 0}), 1);
  EXPECT_EQ(queryToken(attention, whole, {0.99, 0.99}), 16);
  EXPECT_EQ(queryToken(attention, whole, {0.5, 0.5, 0}), 0);
  EXPECT_EQ(queryToken(gridAttention(2, 4, 4), whole, {0, 0, 0}), 0)
      << "without a class token the patch is meant";
}

TEST(QueryToken, ColumnsUseTheKeysGrid) {
  AttentionDescription attention = gridAttention(1, 8, 8);
  attention.keyGrid = TokenGrid{2, 2};
  attention.keys = 4;
  const PictureExtent whole;
  EXPECT_EQ(queryToken(attention, whole, {0.9, 0.9}, Direction::Rows), 63);
  EXPECT_EQ(queryToken(attention, whole, {0.9, 0.9}, Direction::Columns), 3);
}

TEST(QueryToken, NamesTokens) {
  const AttentionDescription attention = gridAttention(2, 4, 4, 1);
  EXPECT_EQ(tokenName(attention, Direction::Rows, 0), "class token");
  EXPECT_EQ(tokenName(attention, Direction::Rows, 1 + 4 * 2 + 3), "patch (2, 3)");
}

TEST(QueryToken, RegistersAreAskedByNumberAndHaveNames) {
  AttentionDescription attention = gridAttention(2, 4, 4, 3);
  attention.prefixNames = {"class token", "register 1", "register 2"};
  EXPECT_EQ(tokenName(attention, Direction::Rows, 2), "register 2");
  EXPECT_EQ(queryToken(attention, {}, {0.1, 0.1, 2}), 2);
  EXPECT_EQ(queryToken(attention, {}, {0.1, 0.1, 3}), 3) << "the patch, where there are but three";
  EXPECT_EQ(tokenName(gridAttention(2, 4, 4, 2), Direction::Rows, 1), "distillation token");
}

TEST(HeadSummaries, FollowTheHeadsTheyAreOf) {
  // Rows of two queries on a class token and three patches, for three heads.
  const std::vector<Matrix> heads{(Matrix(2, 4) << 1, -4, 2, 0, 5, 1, 1, 1).finished(),
                                  (Matrix(2, 4) << -3, 3, -2, 0, 1, 1, -7, 1).finished(),
                                  (Matrix(2, 4) << 2, 1, 1, -1, 0, 0, 0, 0).finished()};
  AttentionDescription attention;
  attention.mechanism = "sima";
  attention.keyGrid = TokenGrid{1, 3};
  attention.prefixTokens = 1;
  const DenseMap map(attention, MatrixStack(heads));
  const std::vector<AttentionValues> panels = attentionValues(
      map, {2, AttentionValues::meanOfHeads, AttentionValues::largestOfHeads}, 0, Direction::Rows);
  ASSERT_EQ(panels.size(), 3u);
  EXPECT_EQ(panels[0].head, 2);
  EXPECT_EQ(panels[0].patches, (Vector(3) << 1, 1, -1).finished());
  EXPECT_EQ(panels[1].prefix, Vector::Zero(1));
  EXPECT_EQ(panels[1].patches, (Vector(3) << 0, 1.0f / 3, -1.0f / 3).finished());
  EXPECT_EQ(panels[2].head, AttentionValues::largestOfHeads);
  EXPECT_EQ(panels[2].prefix, Vector::Constant(1, -3));
  EXPECT_EQ(panels[2].patches, (Vector(3) << -4, 2, -1).finished()) << "with their signs";
  EXPECT_THROW(attentionValues(map, {3, AttentionValues::meanOfHeads}, 0, Direction::Rows),
               InspectionError);
}

TEST(WholeMatrix, IsShownWhereThereIsNoPlaceToAskAbout) {
  AttentionDescription channels;
  channels.mechanism = "xca_channel";
  channels.heads = 2;
  channels.queries = channels.keys = 5;
  const auto map = test::syntheticMap(channels);
  const AttentionValues head = attentionValues(*map, 1, 0, Direction::Rows);
  EXPECT_FALSE(head.onPicture);
  ASSERT_EQ(head.grid, (TokenGrid{5, 5}));
  EXPECT_EQ(head.at(3, 2), test::syntheticValue(1, 3, 2));
  const AttentionValues mean =
      attentionValues(*map, AttentionValues::meanOfHeads, 0, Direction::Rows);
  EXPECT_FLOAT_EQ(mean.at(4, 1),
                  (test::syntheticValue(0, 4, 1) + test::syntheticValue(1, 4, 1)) / 2);
  const AttentionValues largest =
      attentionValues(*map, AttentionValues::largestOfHeads, 0, Direction::Rows);
  EXPECT_EQ(largest.at(4, 1), test::syntheticValue(1, 4, 1)) << "head 1 is the larger throughout";
  EXPECT_EQ(tokenName(channels, Direction::Rows, 0), "all channels");
}

TEST(QueryToken, OfAPoolIsALearnedQuery) {
  AttentionDescription pool;
  pool.mechanism = "softmax_pool";
  pool.queries = 1;
  pool.keys = 12;
  pool.keyGrid = TokenGrid{3, 4};
  EXPECT_EQ(tokenName(pool, Direction::Rows, 0), "learned query");
  EXPECT_EQ(tokenName(pool, Direction::Columns, 5), "patch (1, 1)");
}

TEST(QueryToken, SingleTokensWithoutAGridAreAskedByNumber) {
  AttentionDescription attention;
  attention.mechanism = "softmax_class";
  attention.heads = 1;
  attention.queries = 2;
  attention.keys = 6;
  attention.keyGrid = TokenGrid{2, 2};
  attention.prefixTokens = 2;
  EXPECT_EQ(queryToken(attention, {}, {0.5, 0.5, 0}), 0);
  EXPECT_EQ(queryToken(attention, {}, {0.5, 0.5, 1}), 1);
  EXPECT_EQ(queryToken(attention, {}, {0.5, 0.5, 2}), 0) << "there are but two";
  EXPECT_EQ(queryToken(attention, {}, {0.5, 0.5}), 0) << "a place is no single token";
  EXPECT_EQ(queryToken(attention, {}, {0.1, 0.1, 1}, Direction::Columns), 1);
}

}  // namespace
}  // namespace softscope
