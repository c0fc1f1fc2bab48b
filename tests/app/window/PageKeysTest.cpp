#include "app/window/MainWindow.h"
#include "app/window/contents/WindowPages.h"
#include "tests/app/window/SyntheticContent.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/pages/Page.h"
#include "widgets/settings/AnalysisFile.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/LayerHeadView.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Workspace.h"

#include <QtTest/QTest>
#include <QtWidgets/QAbstractButton>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QTabBar>
#include <QtWidgets/QTreeWidget>

#include <gtest/gtest.h>

namespace softscope {
namespace {

/// The window with a picture and two models, as it is after a start.
class PageKeysTest : public test::WindowFixture {
 protected:
  PageKeysTest() {
    start(test::syntheticEngine(), test::syntheticContent({"first.pth", "second.pth"}),
          {1280, 800});
    queries().askPatch({3, 3});
  }
  AskedQueries& queries() { return window_->workspace().queries(); }
  Page& pageInFront() {
    for (auto* page : window_->findChildren<Page*>()) {
      if (page->isVisible()) return *page;
    }
    throw std::runtime_error("no page is in front");
  }
  void press(int key) {
    QTest::keyClick(window_->focusWidget(), static_cast<Qt::Key>(key));
    QCoreApplication::processEvents();
  }
};

TEST_F(PageKeysTest, ArrowsStepThePatchAfterAStart) {
  const int before = queries().token();
  press(Qt::Key_Right);
  EXPECT_EQ(queries().token(), before + 1);
}

TEST_F(PageKeysTest, ArrowsMoveWhatThePageInFrontShows) {
  Workspace& workspace = window_->workspace();
  for (const WindowPage& page : windowPages()) {
    if (page.name == QStringLiteral("survey")) continue;  // needs no model, and shows none here
    const std::string name = page.name.toStdString();
    workspace.setPage(page.name);
    settle();
    const auto analysis = analysisJson(workspace.analysis().settings());
    const ShownMap map = workspace.view().map();
    const std::string layer = workspace.models().current()->layer;
    ASSERT_TRUE(window_->focusWidget()) << name;
    ASSERT_TRUE(&pageInFront() == window_->focusWidget() ||
                pageInFront().isAncestorOf(window_->focusWidget()))
        << name;
    const bool walks = qobject_cast<LayerHeadView*>(window_->focusWidget()) ||
                       qobject_cast<QTreeWidget*>(window_->focusWidget()) ||
                       page.name == QStringLiteral("bottleneck");
    const int before = queries().token();
    for (const int key : {Qt::Key_Right, Qt::Key_Right, Qt::Key_Down}) press(key);
    EXPECT_EQ(workspace.page(), page.name);
    EXPECT_EQ(analysisJson(workspace.analysis().settings()), analysis) << name;
    EXPECT_EQ(workspace.view().map(), map) << name;
    EXPECT_EQ(workspace.models().current()->layer, layer) << name;
    EXPECT_TRUE(walks || queries().token() == before + 2 + queries().grid()->width) << name;
    queries().askPatch({3, 3});
    const QWidget* keys = window_->focusWidget();
    press(Qt::Key_Tab);
    EXPECT_NE(window_->focusWidget(), keys) << name << ": Tab leaves the maps";
  }
}

TEST_F(PageKeysTest, AClickOnAChoiceLeavesTheKeysWithTheMaps) {
  int choices = 0;
  for (const WindowPage& page : windowPages()) {
    window_->workspace().setPage(page.name);
    settle();
    for (const auto* control : pageInFront().findChildren<QWidget*>()) {
      const auto* choice = qobject_cast<const QComboBox*>(control);
      const bool isChoice = choice && !choice->isEditable();
      if (!isChoice && !qobject_cast<const QAbstractButton*>(control)) continue;
      EXPECT_FALSE(control->focusPolicy() & Qt::ClickFocus)
          << page.name.toStdString() << ": " << control->accessibleName().toStdString();
      ++choices;
    }
  }
  EXPECT_GT(choices, 20);
}

TEST_F(PageKeysTest, WhoWalksAlongTheTabsStaysThere) {
  auto* tabs = window_->findChild<QTabBar*>(QStringLiteral("pages"));
  const int before = tabs->currentIndex();
  tabs->setFocus(Qt::TabFocusReason);
  press(Qt::Key_Right);
  press(Qt::Key_Right);
  EXPECT_EQ(window_->focusWidget(), tabs);
  EXPECT_EQ(tabs->currentIndex(), before + 2);
}

}  // namespace
}  // namespace softscope
