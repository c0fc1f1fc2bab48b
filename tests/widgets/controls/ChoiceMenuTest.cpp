#include "widgets/controls/ChoiceMenu.h"

#include <QtTest/QTest>

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(ChoiceMenu, StaysOpenWhileSeveralAreTickedAndClosesForOthers) {
  ChoiceMenu menu;
  QAction* first = menu.addAction(QStringLiteral("first"));
  QAction* second = menu.addAction(QStringLiteral("second"));
  QAction* plain = menu.addAction(QStringLiteral("plain"));
  first->setCheckable(true);
  second->setCheckable(true);
  menu.popup({0, 0});
  const auto click = [&menu](QAction* action) {
    QTest::mouseClick(&menu, Qt::LeftButton, {}, menu.actionGeometry(action).center());
  };
  click(first);
  EXPECT_TRUE(menu.isVisible());
  click(second);
  EXPECT_TRUE(menu.isVisible());
  EXPECT_TRUE(first->isChecked());
  EXPECT_TRUE(second->isChecked());
  menu.setActiveAction(second);
  QTest::keyClick(&menu, Qt::Key_Space);
  EXPECT_TRUE(menu.isVisible());
  EXPECT_FALSE(second->isChecked());
  click(plain);
  EXPECT_FALSE(menu.isVisible());
}

}  // namespace
}  // namespace softscope
