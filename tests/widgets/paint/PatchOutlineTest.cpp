#include "widgets/paint/PatchOutline.h"

#include <QtGui/QImage>
#include <QtGui/QPainter>

#include <gtest/gtest.h>

#include <algorithm>

namespace softscope {
namespace {

double lengthOf(const std::vector<QLineF>& lines) {
  double length = 0;
  for (const QLineF& line : lines) length += line.length();
  return length;
}

TEST(PatchOutline, BordersAreThoseBetweenLabels) {
  // Two windows of 2 x 2 and a column that belongs to none.
  const TokenGrid grid{2, 5};
  const std::vector<QLineF> lines = patchBorders(grid, {0, 0, 1, 1, -1, 0, 0, 1, 1, -1});
  ASSERT_EQ(lines.size(), 5u) << "top, bottom, and three upright ones";
  EXPECT_EQ(lines[0], QLineF(0, 0, 0.8, 0)) << "in one piece";
  EXPECT_EQ(lines[1], QLineF(0, 1, 0.8, 1));
  EXPECT_EQ(lines[2], QLineF(0, 0, 0, 1));
  EXPECT_EQ(lines[3], QLineF(0.4, 0, 0.4, 1));
  EXPECT_EQ(lines[4], QLineF(0.8, 0, 0.8, 1));
  EXPECT_TRUE(patchBorders(grid, std::vector<int>(10, -1)).empty());
}

TEST(PatchOutline, FollowsARunOfTokensAroundItsCorner) {
  // Tokens 1 to 3 of 2 x 3.
  const std::vector<QLineF> lines = patchBorders({2, 3}, {-1, 4, 4, 4, -1, -1});
  // Each patch has 2 * (1/3 + 1/2) of border, and two of them share an upright one of 1/2.
  EXPECT_NEAR(lengthOf(lines), 3 * 2 * (1.0 / 3 + 0.5) - 2 * 0.5, 1e-12);
}

TEST(PatchOutline, IsCutAtThePartThatIsShown) {
  QImage image(40, 40, QImage::Format_RGB32);
  image.fill(Qt::black);
  QPainter painter(&image);
  const PatchOutline outline{{QLineF(0.25, 0, 0.25, 1), QLineF(0.9, 0, 0.9, 1)}, Qt::red, true};
  paintOutline(painter, outline, QRectF(10, 10, 20, 20), QRectF(0, 0, 0.5, 0.5), 1);
  painter.end();
  EXPECT_EQ(image.pixelColor(20, 20), QColor(Qt::red)) << "in the middle of the part";
  for (int y = 0; y < 40; ++y) {
    EXPECT_NE(image.pixelColor(35, y), QColor(Qt::red)) << "outside of it";
    if (y < 7 || y > 33) {
      EXPECT_NE(image.pixelColor(20, y), QColor(Qt::red)) << y;
    }
  }
}

}  // namespace
}  // namespace softscope
