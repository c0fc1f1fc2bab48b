#include "app/window/MainWindow.h"
#include "tests/app/window/SyntheticContent.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/SyntheticModel.h"

#include <QtGui/QAction>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDockWidget>

#include <gtest/gtest.h>

#include <set>

namespace softscope {
namespace {

/// Returns the part of a widget that lies within all that it is in, in its window.
QRect seenPart(const QWidget& widget) {
  QRect seen(widget.mapTo(widget.window(), QPoint()), widget.size());
  for (const QWidget* around = widget.parentWidget(); around; around = around->parentWidget()) {
    seen &= QRect(around->mapTo(around->window(), QPoint()), around->size());
    if (around->isWindow()) break;
  }
  return seen;
}

class WindowDocksTest : public test::WindowFixture {
 protected:
  WindowDocksTest() {
    start(test::syntheticEngine(), test::syntheticContent({"soft.pth"}), {800, 600});
  }
  QDockWidget& dock(const char* name) {
    return *window_->findChild<QDockWidget*>(QLatin1String(name));
  }
  void resizeTo(int width, int height) {
    window_->resize(width, height);
    settle();
  }
  bool areTabs() { return window_->tabifiedDockWidgets(&dock("layers")).size() == 2; }
  bool isColumn() { return window_->tabifiedDockWidgets(&dock("layers")).isEmpty(); }
  void setOpen(const char* name, bool open) {
    if (dock(name).isHidden() == open) dock(name).toggleViewAction()->trigger();
    settle();
  }
};

TEST_F(WindowDocksTest, WhateverHasTheKeyboardIsSeen) {
  ASSERT_TRUE(areTabs());
  QApplication::setActiveWindow(window_.get());
  for (const Qt::Key key : {Qt::Key_Tab, Qt::Key_Backtab}) {
    std::set<const QWidget*> stops;
    std::set<const QDockWidget*> reached;
    constexpr int most = 300;
    for (int i = 0; i < most; ++i) {
      QWidget* focus = window_->focusWidget();
      ASSERT_TRUE(focus);
      stops.insert(focus);
      EXPECT_FALSE(seenPart(*focus).isEmpty())
          << focus->metaObject()->className() << " " << focus->accessibleName().toStdString();
      for (const char* name : {"model", "layers", "view"}) {
        if (dock(name).isAncestorOf(focus)) reached.insert(&dock(name));
      }
      QTest::keyClick(focus, key);
      QCoreApplication::processEvents();
    }
    EXPECT_GT(stops.size(), 10u);
    EXPECT_EQ(reached.size(), 3u) << "every dock is reached";
  }
}

TEST_F(WindowDocksTest, ADockThatGoesBehindGivesTheKeysToThePage) {
  QApplication::setActiveWindow(window_.get());
  dock("view").raise();
  settle();
  auto* choice = dock("view").findChild<QComboBox*>();
  ASSERT_TRUE(choice);
  choice->setFocus();
  dock("layers").raise();
  settle();
  EXPECT_FALSE(dock("view").isAncestorOf(window_->focusWidget()));
  EXPECT_TRUE(window_->focusWidget());
}

TEST_F(WindowDocksTest, WhatTheUserClosedStaysClosed) {
  for (const char* closed : {"view", "model", "layers"}) {
    setOpen(closed, false);
    resizeTo(1400, 1100);
    EXPECT_TRUE(dock(closed).isHidden()) << closed << " in a column";
    EXPECT_TRUE(isColumn());
    resizeTo(800, 330);
    EXPECT_TRUE(dock(closed).isHidden()) << closed << " in tabs";
    const QFont before = QApplication::font();
    QFont large = before;
    large.setPointSizeF(before.pointSizeF() * 1.5);
    QApplication::setFont(large);
    resizeTo(1000, 700);
    QApplication::setFont(before);
    EXPECT_TRUE(dock(closed).isHidden()) << closed << " with large letters";
    setOpen(closed, true);
    resizeTo(800, 600);
  }
  setOpen("view", false);
  window_->findChild<QAction*>(QStringLiteral("resetLayout"))->trigger();
  EXPECT_FALSE(dock("view").isHidden()) << "a new layout has all of them";
}

TEST_F(WindowDocksTest, AClosedDockLeavesItsRoomToTheOthers) {
  resizeTo(1400, 1100);
  ASSERT_TRUE(isColumn());
  const int layers = dock("layers").height();
  const int view = dock("view").height();
  const int model = dock("model").height();
  setOpen("model", false);
  EXPECT_GE(dock("layers").height(), layers + model);
  EXPECT_LE(std::abs(dock("view").height() - view), 8) << "it has what its rows need";
  setOpen("model", true);
  EXPECT_LE(std::abs(dock("layers").height() - layers), 8);
}

TEST_F(WindowDocksTest, AColumnLeavesTheLayersTheirRows) {
  const int row = window_->fontMetrics().height() * 3 / 2;
  for (int height = 1000; height > 500; height -= 20) {
    resizeTo(1280, height);
    const int shown = dock("layers").widget()->height();
    EXPECT_TRUE(areTabs() || shown >= 5 * row) << shown << " at " << height;
  }
  EXPECT_TRUE(areTabs());
}

}  // namespace
}  // namespace softscope
