#include "core/Error.h"
#include "core/query/QueryPath.h"
#include "tests/core/SyntheticAttention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace softscope {
namespace {

using test::gridAttention;
using ::testing::ElementsAre;

/// A picture of 200 x 100 pixels, of which the network sees the square from (60, 10) on.
PictureExtent seenSquare() {
  Picture picture;
  picture.width = 200;
  picture.height = 100;
  return PictureExtent(picture, {60, 10, 80, 80});
}

std::vector<int> tokensOf(const std::vector<PictureQuery>& queries,
                          const AttentionDescription& attention, const PictureExtent& extent) {
  std::vector<int> tokens;
  for (const PictureQuery& query : queries) {
    tokens.push_back(queryToken(attention, extent, query));
  }
  return tokens;
}

TEST(QueryPath, CrossesWhatTheNetworkSees) {
  const auto path = pathAcross(seenSquare(), {0.9, 0.5, 2});
  EXPECT_THAT(path, ElementsAre(PictureQuery{0.3, 0.5, {}}, PictureQuery{0.7, 0.5, {}}));
  const auto above = pathAcross(seenSquare(), {0.5, 0, {}});
  EXPECT_EQ(above.front().y, 0.1) << "within what it sees";
}

TEST(QueryPath, PlacesAreEquallyFarOnThePicture) {
  // 100 pixels to the right, then 50 down.
  const std::vector<PictureQuery> corners{{0.25, 0.25}, {0.75, 0.25}, {0.75, 0.75}};
  const auto places = placesAlong(corners, seenSquare(), 4);
  ASSERT_EQ(places.size(), 4u);
  EXPECT_EQ(places[0], corners[0]);
  EXPECT_EQ(places[1], (PictureQuery{0.5, 0.25}));
  EXPECT_EQ(places[2], corners[1]);
  EXPECT_EQ(places[3], corners[2]);
}

TEST(QueryPath, ThePlacesOfAPathWithoutLengthAreOne) {
  const auto places = placesAlong({{0.5, 0.5}, {0.5, 0.5}}, seenSquare(), 3);
  EXPECT_THAT(places, ::testing::Each(PictureQuery{0.5, 0.5}));
}

TEST(QueryPath, AsksEveryPatchOnTheWayOnce) {
  const AttentionDescription attention = gridAttention(1, 4, 4, 1);
  const PictureExtent extent = seenSquare();
  const auto across =
      patchesAlong(pathAcross(extent, {0.5, 0.4}), attention, extent, Direction::Rows);
  EXPECT_THAT(tokensOf(across, attention, extent), ElementsAre(5, 6, 7, 8));
  // Two corners of the grid by way of a third: every patch of the upper row and the right column.
  const auto around =
      patchesAlong({{0.3, 0.11}, {0.69, 0.11}, {0.69, 0.89}}, attention, extent, Direction::Rows);
  EXPECT_THAT(tokensOf(around, attention, extent), ElementsAre(1, 2, 3, 4, 8, 12, 16));
  const auto back =
      patchesAlong({{0.3, 0.4}, {0.45, 0.4}, {0.3, 0.4}}, attention, extent, Direction::Rows);
  EXPECT_THAT(tokensOf(back, attention, extent), ElementsAre(5, 6, 5)) << "there and back";
}

TEST(QueryPath, ALongPathOverManyPatchesEnds) {
  const AttentionDescription attention = gridAttention(1, 1000, 1000);
  std::vector<PictureQuery> corners;
  for (int i = 0; i < 200; ++i) corners.push_back({i % 2 ? 0.7 : 0.3, 0.5});
  EXPECT_GT(patchesAlong(corners, attention, seenSquare(), Direction::Rows).size(), 1000u);
}

TEST(QueryPath, TokensThatAreNotPatchesHaveNoPath) {
  AttentionDescription channels = gridAttention(1, 4, 4);
  channels.queryGrid.reset();
  channels.keyGrid.reset();
  EXPECT_THROW(patchesAlong({{0.3, 0.5}, {0.7, 0.5}}, channels, seenSquare(), Direction::Rows),
               InspectionError);
}

}  // namespace
}  // namespace softscope
