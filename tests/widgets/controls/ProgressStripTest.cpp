#include "widgets/controls/ProgressStrip.h"

#include <QtTest/QTest>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QStatusBar>

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(ProgressStrip, ItsButtonIsAsWideAsItsWordInAnyStatusBar) {
  QStatusBar bar;
  bar.addWidget(new QLabel, 1);
  auto* strip = new ProgressStrip;
  bar.addPermanentWidget(strip);
  strip->show();
  bar.show();
  const auto* cancel = strip->findChild<QPushButton*>();
  for (const int width : {800, 1280, 1400, 1900}) {
    bar.resize(width, 30);
    // A message hides what else takes the room.
    bar.showMessage(QStringLiteral("said"));
    QCoreApplication::processEvents();
    EXPECT_EQ(cancel->width(), cancel->sizeHint().width()) << width;
  }
}

}  // namespace
}  // namespace softscope
