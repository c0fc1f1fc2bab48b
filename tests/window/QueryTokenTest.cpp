#include "core/inspect/InputSize.h"
#include "tests/window/SyntheticModel.h"
#include "widgets/AttentionValues.h"
#include "widgets/QueryToken.h"
#include "widgets/figure/PanelText.h"

#include <gtest/gtest.h>

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

TEST(QueryToken, CountsPrefixTokens) {
  const AttentionDescription attention = gridAttention(2, 4, 4, 1);
  const PictureExtent whole;
  EXPECT_EQ(queryToken(attention, whole, {0, 0}), 1);
  EXPECT_EQ(queryToken(attention, whole, {0.99, 0.99}), 16);
  EXPECT_EQ(queryToken(attention, whole, {0.5, 0.5, true}), 0);
  EXPECT_EQ(queryToken(gridAttention(2, 4, 4), whole, {0, 0, true}), 0)
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

TEST(InputSize, ReadsWhatTheCommandLineTakes) {
  EXPECT_EQ(parseInputSize("224"), (InputSize{InputSize::Kind::Crop, 224, 224}));
  EXPECT_EQ(parseInputSize("320x480"), (InputSize{InputSize::Kind::Whole, 320, 480}));
  EXPECT_EQ(parseInputSize("320 × 480"), (InputSize{InputSize::Kind::Whole, 320, 480}));
  EXPECT_EQ(parseInputSize("full"), (InputSize{InputSize::Kind::Full, 0, 0}));
  for (const char* wrong : {"", "x", "0", "-3", "99999", "12x", "3x4x5", "large"}) {
    EXPECT_FALSE(parseInputSize(wrong)) << wrong;
  }
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
  EXPECT_EQ(tokenName(channels, Direction::Rows, 0), "all channels");
  EXPECT_EQ(panelNote(channels, head, Direction::Rows), QStringLiteral("queries ↓ keys →"));
}

}  // namespace
}  // namespace softscope
