#include "app/window/MainWindow.h"
#include "app/window/RememberedWindow.h"
#include "app/window/WindowOptions.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/settings/ViewSettings.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QSettings>
#include <QtTest/QTest>
#include <QtWidgets/QDockWidget>

#include <gtest/gtest.h>

#include <memory>

namespace softscope {
namespace {

class RememberedViewTest : public testing::Test {
 protected:
  RememberedViewTest() {
    settings_.view.colorMap = "viridis";
    settings_.view.smooth = true;
    settings_.overHeads.mean = false;
    settings_.figure.dpi = 200;
  }

  WindowOptions options_;
  WindowSettings settings_;
  Workspace workspace_{test::syntheticEngine()};
};

TEST_F(RememberedViewTest, TheViewIsAsItWasLeft) {
  RememberedView remembered(options_, settings_);
  remembered.restore(workspace_);
  ViewChoice& view = workspace_.view();
  EXPECT_EQ(view.settings(), settings_.view);
  EXPECT_FALSE(view.overHeads().mean);
  view.setOverHeads({.mean = false, .largest = true});
  view.set({});
  settings_ = remembered.remembered(workspace_);
  EXPECT_EQ(settings_.view, ViewSettings());
  EXPECT_TRUE(settings_.overHeads.largest);
  EXPECT_EQ(settings_.figure.dpi, 200);
}

TEST_F(RememberedViewTest, WhatTheCommandLineSaysIsForThisRun) {
  options_.colorMap = "cividis";
  options_.overHeads = {.mean = true};
  options_.dpi = 600;
  options_.onlyHead = 1;
  options_.direction = Direction::Columns;
  RememberedView remembered(options_, settings_);
  remembered.restore(workspace_);
  EXPECT_EQ(workspace_.view().settings().colorMap, "cividis");
  EXPECT_TRUE(workspace_.view().overHeads().mean);
  EXPECT_EQ(workspace_.view().chosenHead(), 1);
  EXPECT_EQ(workspace_.layers().direction(), Direction::Columns);
  EXPECT_EQ(settings_.figure.dpi, 600);
  settings_ = remembered.remembered(workspace_);
  EXPECT_EQ(settings_.view.colorMap, "viridis");
  EXPECT_FALSE(settings_.overHeads.mean);
  EXPECT_EQ(settings_.figure.dpi, 200);
}

TEST_F(RememberedViewTest, WhatTheUserChoseInsteadIsRemembered) {
  options_.colorMap = "cividis";
  options_.dpi = 600;
  RememberedView remembered(options_, settings_);
  remembered.restore(workspace_);
  ViewSettings chosen = workspace_.view().settings();
  chosen.colorMap = "magma";
  workspace_.view().set(chosen);
  settings_.figure.dpi = 300;
  settings_ = remembered.remembered(workspace_);
  EXPECT_EQ(settings_.view.colorMap, "magma");
  EXPECT_EQ(settings_.figure.dpi, 300);
}

TEST_F(RememberedViewTest, ADivergingMapIsTheOneOfSignedValues) {
  options_.colorMap = "purple-white-green";
  RememberedView remembered(options_, settings_);
  remembered.restore(workspace_);
  EXPECT_EQ(workspace_.view().settings().divergingColorMap, "purple-white-green");
  EXPECT_EQ(workspace_.view().settings().colorMap, "viridis");
}

}  // namespace

namespace {

/// Windows that are never closed: what is remembered of them was written while they stood.
class RememberedWindowTest : public testing::Test {
 protected:
  std::unique_ptr<MainWindow> opened() {
    WindowOptions options;
    options.bundledPicture = test::writeTestPicture(128, 64);
    options.bundledModel = "soft.pth";
    auto window = std::make_unique<MainWindow>(test::syntheticEngine(), options);
    window->show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(window.get()));
    test::settle(window->workspace());
    return window;
  }
  /// After `change` something is written, and no more once nothing changes.
  template <typename Change>
  void expectWritten(const char* key, const Change& change) {
    const QVariant before = valueOf(key);
    change();
    EXPECT_TRUE(QTest::qWaitFor([&] { return valueOf(key) != before; }, test::patience)) << key;
  }
  static QVariant valueOf(const char* key) { return QSettings().value(QLatin1String(key)); }
  static QDockWidget& dock(const MainWindow& window, const char* name) {
    return *window.findChild<QDockWidget*>(QLatin1String(name));
  }

  std::unique_ptr<MainWindow> window_ = opened();
};

TEST_F(RememberedWindowTest, AMaximisedWindowThatIsKilledComesBackMaximised) {
  expectWritten("window/geometry", [&] { window_->showMaximized(); });
  EXPECT_TRUE(opened()->isMaximized());
}

TEST_F(RememberedWindowTest, SizeAndPanelsOfAWindowThatIsKilledComeBack) {
  window_->resize(1111, 777);
  expectWritten("window/layout", [&] { dock(*window_, "predictions").close(); });
  const QRect picture = dock(*window_, "picture").geometry();
  const QPoint edge = picture.topRight() + QPoint(2, picture.height() / 2);
  expectWritten("window/layout", [&] {
    QTest::mousePress(window_->windowHandle(), Qt::LeftButton, {}, edge);
    QTest::mouseMove(window_->windowHandle(), edge - QPoint(10, 0));
    QTest::mouseMove(window_->windowHandle(), edge - QPoint(50, 0));
    QTest::qWait(50);
    QTest::mouseRelease(window_->windowHandle(), Qt::LeftButton, {}, edge - QPoint(50, 0));
  });
  const int width = dock(*window_, "picture").width();
  ASSERT_LT(width, picture.width());
  const std::unique_ptr<MainWindow> next = opened();
  EXPECT_EQ(next->size(), QSize(1111, 777));
  EXPECT_TRUE(dock(*next, "predictions").isHidden());
  EXPECT_EQ(dock(*next, "picture").width(), width);
  next->resize(1300, 777);
  EXPECT_TRUE(QTest::qWaitFor([&] { return next->width() == 1300; }, test::patience));
  EXPECT_EQ(dock(*next, "picture").width(), width) << "it was dragged";
}

TEST_F(RememberedWindowTest, PanelsThatNobodyDraggedFitTheNextWindow) {
  expectWritten("window/layout", [&] { window_->resize(1300, 900); });
  const std::unique_ptr<MainWindow> next = opened();
  next->resize(1000, 900);
  EXPECT_TRUE(
      QTest::qWaitFor([&] { return dock(*next, "picture").width() <= 280; }, test::patience));
}

TEST_F(RememberedWindowTest, LooksAndFilesOfAWindowThatIsKilledComeBack) {
  expectWritten("view/opacity", [&] {
    ViewSettings view = window_->workspace().view().settings();
    view.opacity = 0.25;
    window_->workspace().view().set(view);
  });
  EXPECT_NEAR(opened()->workspace().view().settings().opacity, 0.25, 1e-6);
}

TEST_F(RememberedWindowTest, WhatAnotherWindowWroteStays) {
  expectWritten("window/geometry", [&] { window_->resize(1000, 700); });
  QSettings().setValue(QStringLiteral("view/opacity"), 0.5);
  QSettings().setValue(QStringLiteral("window/theme"), QStringLiteral("dark"));
  expectWritten("window/geometry", [&] { window_->resize(1010, 710); });
  EXPECT_EQ(valueOf("view/opacity").toDouble(), 0.5);
  EXPECT_EQ(valueOf("window/theme").toString(), QStringLiteral("dark"));
  window_->close();
  EXPECT_EQ(valueOf("view/opacity").toDouble(), 0.5);
}

TEST_F(RememberedWindowTest, PanelsThatWereTabsForWantOfRoomAreAColumnAgain) {
  window_->resize(1400, 1000);
  test::settle(window_->workspace());
  expectWritten("window/stackedPanels", [&] { window_->resize(800, 600); });
  ASSERT_EQ(window_->tabifiedDockWidgets(&dock(*window_, "layers")).size(), 2);
  const std::unique_ptr<MainWindow> next = opened();
  ASSERT_EQ(next->tabifiedDockWidgets(&dock(*next, "layers")).size(), 2);
  next->resize(1400, 1000);
  EXPECT_TRUE(QTest::qWaitFor(
      [&] { return next->tabifiedDockWidgets(&dock(*next, "layers")).isEmpty(); }, test::patience));
}

}  // namespace
}  // namespace softscope
