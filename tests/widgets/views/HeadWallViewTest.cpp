#include "widgets/views/HeadWallView.h"

#include <QtTest/QTest>

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace softscope {
namespace {

std::vector<HeadThumbnails> wallOf(int layers, int heads) {
  std::vector<HeadThumbnails> rows;
  for (int layer = 0; layer < layers; ++layer) {
    rows.push_back({QStringLiteral("blocks.%1.attn").arg(layer), {}});
    for (int head = 0; head < heads; ++head) {
      QImage image(4, 4, QImage::Format_RGB32);
      image.fill(Qt::red);
      rows.back().heads.push_back({head, image, 1, {}});
    }
  }
  return rows;
}

/// Clicks every thumbnail, and expects that they lie apart and within the wall.
void clickAll(HeadWallView& wall, int layers, int heads) {
  std::vector<std::pair<int, int>> chosen;
  QObject::connect(&wall, &HeadWallView::chosen, &wall,
                   [&chosen](int layer, int index) { chosen.emplace_back(layer, index); });
  std::vector<QRectF> before;
  for (int layer = 0; layer < layers; ++layer) {
    for (int head = 0; head < heads; ++head) {
      const QRectF rect = wall.thumbnailRect(layer, head);
      EXPECT_TRUE(QRectF(wall.rect()).contains(rect)) << layer << ", " << head;
      for (const QRectF& other : before) EXPECT_FALSE(rect.intersects(other));
      before.push_back(rect);
      QTest::mouseClick(&wall, Qt::LeftButton, {}, rect.center().toPoint());
      ASSERT_FALSE(chosen.empty());
      EXPECT_EQ(chosen.back(), std::make_pair(layer, head));
    }
  }
}

TEST(HeadWallView, PutsFewHeadsInSeveralColumnsOfLayers) {
  HeadWallView wall;
  wall.resize(1100, 600);
  wall.setRows(wallOf(8, 4), 1);
  wall.show();
  EXPECT_EQ(wall.thumbnailRect(0, 0).top(), wall.thumbnailRect(4, 0).top());
  EXPECT_GT(wall.thumbnailRect(0, 0).width(), 600.0 / 8) << "more than one column allows";
  clickAll(wall, 8, 4);
}

TEST(HeadWallView, KeepsOneColumnWhereItIsAsLarge) {
  HeadWallView wall;
  wall.resize(700, 700);
  wall.setRows(wallOf(12, 12), 1);
  wall.show();
  EXPECT_GT(wall.thumbnailRect(11, 0).top(), wall.thumbnailRect(5, 0).top());
  EXPECT_EQ(wall.thumbnailRect(11, 0).left(), wall.thumbnailRect(0, 0).left());
  clickAll(wall, 12, 12);
}

}  // namespace
}  // namespace softscope
