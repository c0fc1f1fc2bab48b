#include "widgets/paint/Contrast.h"
#include "widgets/plot/Plot.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(Contrast, IsThatOfWcag) {
  EXPECT_NEAR(contrastOf(Qt::black, Qt::white), 21, 1e-9);
  EXPECT_NEAR(contrastOf(Qt::white, Qt::black), 21, 1e-9);
  EXPECT_NEAR(contrastOf(QColor(0x77, 0x77, 0x77), Qt::white), 4.48, 0.01);
}

TEST(Contrast, OfCurvesLabelsIsThatOfText) {
  for (const QColor& ground :
       {QColor(Qt::white), QColor(0xf2, 0xf3, 0xf5), QColor(0x1b, 0x1d, 0x21)}) {
    for (const int count : {8, 30}) {
      for (const QColor& color : curveColors(count)) {
        const QColor text = legibleOn(ground, color);
        EXPECT_GE(contrastOf(text, ground), 4.5) << color.name().toStdString();
        if (contrastOf(color, ground) >= 4.5) {
          EXPECT_EQ(text.rgb(), color.rgb());
        }
        if (text != Qt::black && text != Qt::white) {
          EXPECT_NEAR(text.hslHueF(), color.hslHueF(), 0.02) << color.name().toStdString();
        }
      }
    }
  }
  EXPECT_EQ(legibleOn(QColor(), Qt::white), legibleOn(Qt::white, Qt::white)) << "as on white";
}

}  // namespace
}  // namespace softscope
