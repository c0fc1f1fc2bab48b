#include "widgets/controls/BusyBar.h"

#include <QtGui/QImage>
#include <QtTest/QTest>

#include <gtest/gtest.h>

namespace softscope {
namespace {

/// Returns the share of the bar that is filled, and moves it into view.
double filledShare(BusyBar& bar) {
  const QImage image = bar.grab().toImage();
  const QColor accent = bar.palette().color(QPalette::Highlight);
  int filled = 0;
  for (int x = 0; x < image.width(); ++x) {
    const QColor color = image.pixelColor(x, image.height() / 2);
    const bool isAccent = std::abs(color.hue() - accent.hue()) < 25 && color.saturation() > 60;
    filled += isAccent ? 1 : 0;
  }
  return double(filled) / image.width();
}

TEST(BusyBar, OfUnknownProgressIsFilledInPart) {
  BusyBar bar;
  bar.setTextVisible(false);
  bar.setFixedSize(120, 10);
  bar.show();
  bar.setRange(0, 1000);
  bar.setValue(1000);
  EXPECT_GT(filledShare(bar), 0.9);
  bar.setRange(0, 0);
  EXPECT_GT(filledShare(bar), 0.2);
  EXPECT_LT(filledShare(bar), 0.5);
  const QImage before = bar.grab().toImage();
  EXPECT_TRUE(QTest::qWaitFor([&] { return bar.grab().toImage() != before; })) << "it moves";
}

}  // namespace
}  // namespace softscope
