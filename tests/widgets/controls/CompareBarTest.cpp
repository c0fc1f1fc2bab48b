#include "widgets/controls/CompareBar.h"

#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QMenu>
#include <QtWidgets/QPushButton>

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(CompareBar, MechanismsStayWhereTheyAreAndSayWhyThereAreNone) {
  CompareBar bar;
  QPushButton* mechanism = nullptr;
  for (auto* button : bar.findChildren<QPushButton*>()) {
    if (button->menu()) mechanism = button;
  }
  ASSERT_TRUE(mechanism);
  bar.resize(900, 60);
  bar.show();
  bar.setMechanisms({QStringLiteral("soft"), QStringLiteral("soft++")});
  QCoreApplication::processEvents();
  const QRect place = mechanism->geometry();
  EXPECT_TRUE(mechanism->isEnabled());
  QSignalSpy wanted(&bar, &CompareBar::mechanismWanted);
  EXPECT_EQ(mechanism->menu()->actions().at(1)->text(), QStringLiteral("SOFT++"));
  mechanism->menu()->actions().at(1)->trigger();
  ASSERT_EQ(wanted.count(), 1);
  EXPECT_EQ(wanted.front().front().toString(), QStringLiteral("soft++"));

  bar.setMechanisms({});
  QCoreApplication::processEvents();
  EXPECT_TRUE(mechanism->isVisible());
  EXPECT_FALSE(mechanism->isEnabled());
  EXPECT_EQ(mechanism->geometry(), place) << "the bar does not shift";
  EXPECT_EQ(mechanism->toolTip(),
            QStringLiteral("The current model's weights allow no other mechanism"));
}

}  // namespace
}  // namespace softscope
