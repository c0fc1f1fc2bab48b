#include "core/Error.h"
#include "core/attention/FactoredMap.h"
#include "core/query/AttentionValues.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

#include <cmath>

namespace softscope {
namespace {

TEST(HeadSummary, IsTheMeanAndTheLargestMagnitudeOverHeads) {
  const std::vector<Vector> heads{Vector{{1, -5, 0}}, Vector{{2, 4, 0}}, Vector{{-6, 4, 0}}};
  EXPECT_TRUE(meanOverHeads(heads).isApprox(Vector{{-1, 1, 0}}));
  EXPECT_EQ(largestOverHeads(heads), (Vector{{-6, -5, 0}}));
  EXPECT_EQ(meanOverHeads({heads[0]}), heads[0]);
  EXPECT_EQ(largestOverHeads({heads[1]}), heads[1]);
}

}  // namespace

namespace {

using test::randomStack;

/// Four heads of so many patches that their rows are looked up in several threads.
FactoredMap largeMap() {
  constexpr int side = 256;
  constexpr int heads = 4;
  constexpr int landmarks = 3;
  AttentionDescription attention;
  attention.heads = heads;
  attention.queries = attention.keys = side * side;
  attention.queryGrid = attention.keyGrid = TokenGrid{side, side};
  return FactoredMap(attention, randomStack(heads, side * side, landmarks, 1),
                     randomStack(heads, landmarks, landmarks, 5),
                     randomStack(heads, side * side, landmarks, 9));
}

TEST(AttentionValues, OfManyTokensAreEachHeadsOwnRow) {
  const FactoredMap map = largeMap();
  const std::vector<int> heads{3, 1, 0, 2};
  const std::vector<AttentionValues> panels = attentionValues(map, heads, 40000, Direction::Rows);
  ASSERT_EQ(panels.size(), heads.size());
  for (std::size_t i = 0; i < heads.size(); ++i) {
    EXPECT_EQ(panels[i].head, heads[i]);
    EXPECT_EQ(panels[i].patches, map.row(heads[i], 40000));
  }
}

TEST(AttentionValues, OfManyTokensHaveTheirSummariesBesideThem) {
  const FactoredMap map = largeMap();
  const std::vector<AttentionValues> panels =
      attentionValues(map, {AttentionValues::meanOfHeads, AttentionValues::largestOfHeads, 2}, 7,
                      Direction::Columns);
  ASSERT_EQ(panels.size(), 3u);
  const int patch = 12345;
  double sum = 0;
  float largest = 0;
  for (int head = 0; head < 4; ++head) {
    const float value = map.column(head, 7)[patch];
    sum += value;
    if (std::abs(value) > std::abs(largest)) largest = value;
  }
  EXPECT_NEAR(panels[0].patches[patch], sum / 4, 1e-6);
  EXPECT_EQ(panels[1].patches[patch], largest);
  EXPECT_EQ(panels[2].patches, map.column(2, 7));
}

TEST(AttentionValues, OfAHeadThatIsNotThereAreAnError) {
  const FactoredMap map = largeMap();
  EXPECT_THROW((void)attentionValues(map, {0, 4}, 7, Direction::Rows), InspectionError);
  EXPECT_THROW((void)attentionValues(map, {1, 0, 3, 2}, 1 << 20, Direction::Rows), InspectionError);
}

}  // namespace
}  // namespace softscope
