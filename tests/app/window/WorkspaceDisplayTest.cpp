#include "app/window/WindowActions.h"
#include "app/window/WorkspaceDisplay.h"
#include "app/window/contents/PageBook.h"
#include "app/window/contents/WindowPages.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/controls/EmptyState.h"
#include "widgets/controls/ErrorBanner.h"
#include "widgets/pages/HeadsPage.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtGui/QAction>
#include <QtTest/QSignalSpy>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QStatusBar>

#include <gtest/gtest.h>

#include <memory>

namespace softscope {
namespace {

class WorkspaceDisplayTest : public testing::Test {
 protected:
  WorkspaceDisplayTest() {
    window_.resize(1000, 700);
    display_.showAll();
    window_.show();
  }
  void open() {
    workspace_.picture().open(QString::fromStdString(test::writeTestPicture(128, 64)));
    openBeside();
  }
  void openBeside() {
    ModelRequest request;
    request.path = "soft.pth";
    workspace_.queue().openBeside(request);
    settle();
  }
  void settle() { test::settle(workspace_); }
  void lookAtEveryPage() {
    for (const WindowPage& page : windowPages()) {
      workspace_.setPage(page.name);
      settle();
    }
  }
  Vector firstHead() {
    const auto& heads = *window_.findChild<HeadsPage*>()->findChild<HeadGrid*>();
    return heads.view(0).panel().values.patches;
  }
  Vector rowOf(int token) { return workspace_.models().shownLayer()->attention->row(0, token); }

  Workspace workspace_{test::syntheticEngine()};
  QMainWindow window_;
  WindowActions& actions_ = *new WindowActions(window_);
  WorkspaceDisplay display_{window_, workspace_, actions_, {}};
};

TEST_F(WorkspaceDisplayTest, MovesAreDrawnWhenThereIsTimeForIt) {
  open();
  workspace_.queries().askPatch({0, 0});
  QCoreApplication::processEvents();
  ASSERT_EQ(firstHead(), rowOf(0));
  workspace_.queries().askPatch({1, 1});
  workspace_.queries().askPatch({2, 2});
  EXPECT_EQ(firstHead(), rowOf(0));
  QCoreApplication::processEvents();
  EXPECT_EQ(firstHead(), rowOf(18));
}

TEST_F(WorkspaceDisplayTest, WhatIsClosedIsNotKeptByPagesThatShowedIt) {
  open();
  lookAtEveryPage();
  const std::weak_ptr<const Model> model = workspace_.models().current()->model;
  const std::weak_ptr<const Inspection> inspection = workspace_.models().current()->inspection;
  const std::weak_ptr<const Picture> picture = workspace_.picture().shared();
  openBeside();
  EXPECT_FALSE(inspection.expired()) << "the first model is still open";
  workspace_.queue().close(0);
  settle();
  EXPECT_TRUE(model.expired());
  EXPECT_TRUE(inspection.expired());
  EXPECT_FALSE(picture.expired());
  workspace_.picture().open(QString::fromStdString(test::writeTestPicture(64, 64, "other.png")));
  settle();
  EXPECT_TRUE(picture.expired());
  for (const HeadGrid* grid : window_.findChildren<HeadGrid*>()) {
    EXPECT_FALSE(grid->picture()) << "the library's page is in front";
  }
}

TEST_F(WorkspaceDisplayTest, WhatIsOpenIsNotComputedAgain) {
  open();
  workspace_.setPage(QStringLiteral("spectrum"));
  settle();
  workspace_.setPage(QStringLiteral("heads"));
  openBeside();
  workspace_.models().setCurrent(0);
  settle();
  QSignalSpy work(&workspace_.worker(), &Worker::busyChanged);
  workspace_.setPage(QStringLiteral("spectrum"));
  QCoreApplication::processEvents();
  EXPECT_EQ(work.count(), 0);
}

TEST_F(WorkspaceDisplayTest, MenusAreThoseOfThePageInFront) {
  EXPECT_FALSE(actions_.exportFigure->isEnabled());
  open();
  EXPECT_TRUE(actions_.exportFigure->isEnabled());
  EXPECT_TRUE(actions_.pin->isEnabled());
  workspace_.setPage(QStringLiteral("models"));
  EXPECT_FALSE(actions_.exportFigure->isEnabled()) << "the library is nothing to print";
}

TEST_F(WorkspaceDisplayTest, FailuresAreABannerAndTheRestAMessage) {
  EXPECT_FALSE(display_.banner().isVisible());
  display_.say(QStringLiteral("Wrote heads.pdf"));
  EXPECT_EQ(window_.statusBar()->currentMessage(), QStringLiteral("Wrote heads.pdf"));
  EXPECT_FALSE(display_.banner().isVisible());
  workspace_.picture().open(QStringLiteral("nowhere.png"));
  test::settle(workspace_);
  EXPECT_TRUE(display_.banner().isVisible());
  actions_.cancel->trigger();
  EXPECT_FALSE(display_.banner().isVisible());
}

TEST_F(WorkspaceDisplayTest, AMessageEndsWithItsPage) {
  open();
  display_.say(QStringLiteral("Copied the figure."));
  workspace_.setPage(QStringLiteral("matrix"));
  settle();
  EXPECT_EQ(window_.statusBar()->currentMessage(), QString());
}

TEST_F(WorkspaceDisplayTest, AnEmptyPageSaysWhatIsAwaited) {
  const auto says = [this](const QString& words) {
    for (const auto* label : window_.findChild<EmptyState*>()->findChildren<QLabel*>()) {
      if (label->text().contains(words)) return true;
    }
    return false;
  };
  workspace_.picture().open(QString::fromStdString(test::writeTestPicture(128, 64)));
  EXPECT_TRUE(says(QStringLiteral("picture is being read")));
  settle();
  EXPECT_FALSE(says(QStringLiteral("One moment")));
}

TEST_F(WorkspaceDisplayTest, ErrorsOfWorkThatAPageBeginsAsOtherWorkEndsAreCounted) {
  open();
  workspace_.setPage(QStringLiteral("spectrum"));
  ASSERT_TRUE(workspace_.worker().isBusy());
  // The page asks for it again at once.
  workspace_.worker().cancel(Worker::Kind::Analysis);
  ASSERT_TRUE(workspace_.worker().isBusy());
  display_.fail(QStringLiteral("first"));
  display_.fail(QStringLiteral("second"));
  EXPECT_EQ(display_.banner().message(), QStringLiteral("second (and 1 more)"));
  settle();
}

}  // namespace
}  // namespace softscope
