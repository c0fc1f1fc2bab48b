#include "widgets/views/HeadWallView.h"

#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QScrollBar>

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
      QTest::mouseClick(wall.viewport(), Qt::LeftButton, {}, rect.center().toPoint());
      ASSERT_FALSE(chosen.empty());
      EXPECT_EQ(chosen.back(), std::make_pair(layer, head));
    }
  }
}

// The framed head may vanish: another model has fewer heads in a layer of the same name, and a
// layer has none while its columns are being added up.
TEST(HeadWallView, ForgetsAHeadThatIsThereNoLonger) {
  for (const int left : {2, 0}) {
    HeadWallView wall;
    wall.resize(1100, 600);
    wall.setRows(wallOf(2, 4), 1);
    wall.show();
    for (int i = 0; i < 4; ++i) {
      QTest::keyClick(&wall, Qt::Key_Right, Qt::ControlModifier);
    }
    QSignalSpy collected(&wall, &HeadWallView::collectWanted);
    QTest::keyClick(&wall, Qt::Key_Space);
    EXPECT_EQ(collected.count(), 1);
    wall.setRows(wallOf(2, left), 1);
    wall.grab();
    QTest::keyClick(&wall, Qt::Key_Space);
    EXPECT_EQ(collected.count(), 1);
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

TEST(HeadWallView, ShowsManyLayersWholeWhereTheyFit) {
  for (const int heads : {1, 4}) {
    HeadWallView wall;
    wall.resize(420, 400);
    wall.setRows(wallOf(64, heads), 1);
    wall.show();
    EXPECT_EQ(wall.verticalScrollBar()->maximum(), 0);
    EXPECT_EQ(wall.horizontalScrollBar()->maximum(), 0);
    clickAll(wall, 64, heads);
  }
}

TEST(HeadWallView, ScrollsToTheFramedHeadWhereNotAllFit) {
  HeadWallView wall;
  wall.resize(420, 300);
  wall.setRows(wallOf(48, 64), 1);
  wall.show();
  ASSERT_GT(wall.verticalScrollBar()->maximum(), 0);
  ASSERT_GT(wall.horizontalScrollBar()->maximum(), 0);
  wall.setChosenLayer(47);
  const QRectF room(wall.viewport()->rect());
  EXPECT_TRUE(room.contains(wall.thumbnailRect(47, 0)));
  for (int i = 0; i < 65; ++i) QTest::keyClick(&wall, Qt::Key_Right, Qt::ControlModifier);
  EXPECT_TRUE(room.contains(wall.thumbnailRect(47, 63)));
  for (int i = 0; i < 50; ++i) QTest::keyClick(&wall, Qt::Key_Up, Qt::ControlModifier);
  EXPECT_TRUE(room.contains(wall.thumbnailRect(0, 63)));
  for (int i = 0; i < 65; ++i) QTest::keyClick(&wall, Qt::Key_Left, Qt::ControlModifier);
  EXPECT_TRUE(room.contains(wall.thumbnailRect(0, 0)));
  QSignalSpy enlarged(&wall, &HeadWallView::chosen);
  QTest::mouseClick(wall.viewport(), Qt::LeftButton, {},
                    wall.thumbnailRect(1, 2).center().toPoint());
  ASSERT_EQ(enlarged.count(), 1);
  EXPECT_EQ(enlarged[0], (QList<QVariant>{1, 2}));
}

TEST(HeadWallView, ShiftAndAClickCollectsAHeadInPlaceOfEnlargingIt) {
  HeadWallView wall;
  wall.resize(700, 700);
  wall.setRows(wallOf(4, 4), 1);
  wall.show();
  QSignalSpy collected(&wall, &HeadWallView::collectWanted);
  QSignalSpy enlarged(&wall, &HeadWallView::chosen);
  QTest::mouseClick(wall.viewport(), Qt::LeftButton, Qt::ShiftModifier,
                    wall.thumbnailRect(2, 1).center().toPoint());
  ASSERT_EQ(collected.count(), 1);
  EXPECT_EQ(collected[0][0].toInt(), 2);
  EXPECT_EQ(collected[0][1].toInt(), 1);
  EXPECT_EQ(enlarged.count(), 0);
}

TEST(HeadWallView, KeysGoFromHeadToHead) {
  HeadWallView wall;
  wall.resize(700, 700);
  wall.setRows(wallOf(3, 2), 1);
  wall.setChosenLayer(1);
  wall.show();
  QSignalSpy collected(&wall, &HeadWallView::collectWanted);
  QSignalSpy enlarged(&wall, &HeadWallView::chosen);
  QSignalSpy stepped(&wall, &HeadWallView::stepped);
  QTest::keyClick(&wall, Qt::Key_Space);
  EXPECT_EQ(collected.count(), 0) << "before there is a frame";
  QTest::keyClick(&wall, Qt::Key_Right, Qt::ControlModifier);
  QTest::keyClick(&wall, Qt::Key_Space);
  for (int i = 0; i < 3; ++i) QTest::keyClick(&wall, Qt::Key_Right, Qt::ControlModifier);
  for (int i = 0; i < 5; ++i) QTest::keyClick(&wall, Qt::Key_Down, Qt::ControlModifier);
  QTest::keyClick(&wall, Qt::Key_Space);
  ASSERT_EQ(collected.count(), 2);
  EXPECT_EQ(collected[0], (QList<QVariant>{1, 0}));
  EXPECT_EQ(collected[1], (QList<QVariant>{2, 1}));
  QTest::keyClick(&wall, Qt::Key_Return);
  ASSERT_EQ(enlarged.count(), 1);
  EXPECT_EQ(enlarged[0], (QList<QVariant>{2, 1}));
  EXPECT_EQ(stepped.count(), 0);
}

TEST(HeadWallView, CollectedHeadsAreMarked) {
  HeadWallView wall;
  wall.resize(300, 300);
  auto rows = wallOf(2, 2);
  wall.setRows(rows, 1);
  const QImage before = wall.grab().toImage();
  rows[1].heads[0].isCollected = true;
  wall.setRows(rows, 1);
  const QImage after = wall.grab().toImage();
  const QRect marked = wall.thumbnailRect(1, 0).toAlignedRect();
  EXPECT_NE(before.copy(marked), after.copy(marked));
  const QRect other = wall.thumbnailRect(0, 1).toAlignedRect();
  EXPECT_EQ(before.copy(other), after.copy(other));
}

}  // namespace
}  // namespace softscope
