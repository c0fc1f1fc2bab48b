#include "widgets/plot/LabelRoom.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace softscope {
namespace {

const QRectF labelledAxes(50, 10, 300, 200);
constexpr double labelGap = 4;
const QSizeF labelSize(60, 12);

void expectApart(const std::vector<QRectF>& places) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_GE(places[i].top(), labelledAxes.top() - 1e-9);
    EXPECT_LE(places[i].bottom(), labelledAxes.bottom() + 1e-9);
    for (std::size_t j = 0; j < i; ++j) {
      // A shared edge is no overlap.
      EXPECT_FALSE(places[i].adjusted(0, 0.01, 0, -0.01).intersects(places[j])) << i << ", " << j;
    }
  }
}

TEST(LabelRoom, PushesApartWhatEndsTogetherAndKeepsTheOrder) {
  std::vector<LabelledEnd> ends;
  for (const double y : {12.0, 11.0, 100.0, 104.0, 102.0, 160.0, 209.0, 208.0}) {
    ends.push_back({{350, y}, labelSize});
  }
  const std::vector<QRectF> places = LabelRoom(labelledAxes, {}, labelGap).besideEnds(ends);
  ASSERT_EQ(places.size(), ends.size());
  expectApart(places);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    EXPECT_GT(places[i].left(), labelledAxes.right());
    for (std::size_t j = 0; j < ends.size(); ++j) {
      if (ends[i].end.y() >= ends[j].end.y()) continue;
      EXPECT_LT(places[i].top(), places[j].top());
    }
  }
  EXPECT_DOUBLE_EQ(places[5].center().y(), 160) << "alone, it stands beside its end";
  EXPECT_DOUBLE_EQ(places[4].center().y(), 102) << "in the middle of three";
}

TEST(LabelRoom, FillsTheWholeColumn) {
  std::vector<LabelledEnd> ends(16, LabelledEnd{{350, 200}, labelSize});
  expectApart(LabelRoom(labelledAxes, {}, labelGap).besideEnds(ends));
}

TEST(LabelRoom, WritesBesideAnEndWithinTheAxesButNotOverACurve) {
  const LabelledEnd end{{120, 100}, labelSize};
  const QRectF free = LabelRoom(labelledAxes, {}, labelGap).besideEnds({end}).front();
  EXPECT_DOUBLE_EQ(free.center().y(), 100);
  EXPECT_LT(free.left() - 120, 3 * labelGap);
  const QPolygonF curve{{120, 100}, {350, 104}};
  const QRectF moved = LabelRoom(labelledAxes, {curve}, labelGap).besideEnds({end}).front();
  EXPECT_TRUE(moved.bottom() < 100 || moved.top() > 104 || moved.left() > 350);
  EXPECT_LT(std::abs(moved.center().y() - 100), 40);
  std::vector<LabelledEnd> many(9, end);
  expectApart(LabelRoom(labelledAxes, {curve}, labelGap).besideEnds(many));
}

TEST(LabelRoom, WritesALevelsLabelWhereNoCurveRuns) {
  EXPECT_DOUBLE_EQ(LabelRoom(labelledAxes, {}, labelGap).alongLevel(100, labelSize).right(),
                   labelledAxes.right());
  std::vector<QPolygonF> curves;
  for (double y = 70; y <= 130; y += 4) curves.push_back({{150, y}, {350, y}});
  const QRectF place = LabelRoom(labelledAxes, curves, labelGap).alongLevel(100, labelSize);
  EXPECT_LT(place.right(), 150);
  EXPECT_GE(place.left(), labelledAxes.left());
}

}  // namespace
}  // namespace softscope
