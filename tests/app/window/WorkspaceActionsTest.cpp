#include "app/window/WindowActions.h"
#include "app/window/WorkspaceActions.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtGui/QAction>
#include <QtGui/QActionGroup>
#include <QtTest/QSignalSpy>
#include <QtWidgets/QMainWindow>

#include <gtest/gtest.h>

namespace softscope {
namespace {

class WorkspaceActionsTest : public testing::Test {
 protected:
  void open() {
    workspace_.picture().open(QString::fromStdString(test::writeTestPicture(128, 64)));
    for (const char* path : {"a.pth", "b.pth"}) {
      ModelRequest request;
      request.path = path;
      workspace_.queue().openBeside(request);
    }
    test::settle(workspace_);
    shown_.show();
  }
  void trigger(QAction* action) {
    ASSERT_TRUE(action->isEnabled()) << action->text().toStdString();
    action->trigger();
    shown_.show();
  }

  Workspace workspace_{test::syntheticEngine()};
  QMainWindow window_;
  WindowActions& actions_ = *new WindowActions(window_);
  WorkspaceActions shown_{actions_, workspace_};
};

TEST_F(WorkspaceActionsTest, NothingCanBeDoneToNothing) {
  shown_.show();
  for (const QAction* action :
       {actions_.undo, actions_.redo, actions_.pin, actions_.clearPins, actions_.saveWorkspace,
        actions_.closeModel, actions_.previousModel, actions_.nextModel, actions_.previousLayer,
        actions_.nextHead, actions_.allHeads, actions_.zoomIn, actions_.zoomOut,
        actions_.classToken}) {
    EXPECT_FALSE(action->isEnabled()) << action->text().toStdString();
  }
}

TEST_F(WorkspaceActionsTest, QueriesArePinnedAndTakenBack) {
  open();
  AskedQueries& queries = workspace_.queries();
  EXPECT_FALSE(actions_.undo->isEnabled());
  trigger(actions_.pin);
  EXPECT_EQ(queries.pins().size(), 1u);
  trigger(actions_.undo);
  EXPECT_TRUE(queries.pins().empty());
  trigger(actions_.redo);
  trigger(actions_.clearPins);
  EXPECT_TRUE(queries.pins().empty());
  EXPECT_FALSE(actions_.clearPins->isEnabled());
}

TEST_F(WorkspaceActionsTest, ModelsLayersAndHeadsAreWalkedThrough) {
  open();
  EXPECT_FALSE(actions_.nextModel->isEnabled());
  trigger(actions_.previousModel);
  EXPECT_EQ(workspace_.models().currentIndex(), 0);
  trigger(actions_.nextLayer);
  EXPECT_EQ(workspace_.models().current()->layer, "block2.0.attn");
  trigger(actions_.previousHead);
  EXPECT_EQ(workspace_.view().onlyHead(), 2);
  trigger(actions_.allHeads);
  EXPECT_FALSE(workspace_.view().onlyHead());
  EXPECT_FALSE(actions_.allHeads->isEnabled());
  trigger(actions_.closeModel);
  EXPECT_EQ(workspace_.models().all().size(), 1u);
}

TEST_F(WorkspaceActionsTest, TheDirectionAndTheClassTokenAreSwitches) {
  open();
  trigger(actions_.swapDirection);
  EXPECT_EQ(workspace_.layers().direction(), Direction::Columns);
  EXPECT_TRUE(actions_.swapDirection->isChecked());
  EXPECT_FALSE(actions_.classToken->isEnabled());
  workspace_.layers().choose("blocks.2.attn");
  shown_.show();
  trigger(actions_.classToken);
  EXPECT_TRUE(workspace_.queries().asksPrefixToken());
  EXPECT_TRUE(actions_.classToken->isChecked());
}

TEST_F(WorkspaceActionsTest, ZoomIsAboutTheQueryWhereItIsAPlaceThatIsSeen) {
  open();
  workspace_.queries().ask({0.25, 0.75});
  trigger(actions_.zoomIn);
  const QRectF closer = workspace_.view().visible();
  EXPECT_NEAR(closer.width(), 1 / 1.5, 1e-12);
  EXPECT_NEAR((0.25 - closer.x()) / closer.width(), 0.25, 1e-12) << "it stays where it was";
  EXPECT_NEAR((0.75 - closer.y()) / closer.height(), 0.75, 1e-12);
  trigger(actions_.zoomReset);
  EXPECT_EQ(workspace_.view().visible(), QRectF(0, 0, 1, 1));
  EXPECT_FALSE(actions_.zoomOut->isEnabled());
}

TEST_F(WorkspaceActionsTest, LooksAreChangedAndChecked) {
  open();
  const double before = workspace_.view().settings().opacity;
  trigger(actions_.moreOpaque);
  EXPECT_NEAR(workspace_.view().settings().opacity, before + 0.05, 1e-12);
  for (int i = 0; i < 30; ++i) trigger(actions_.lessOpaque);
  EXPECT_EQ(workspace_.view().settings().opacity, 0);
  trigger(actions_.smooth);
  EXPECT_TRUE(workspace_.view().settings().smooth);
  QAction* const last = actions_.colorMaps->actions().back();
  trigger(last);
  EXPECT_EQ(workspace_.view().settings().colorMap, last->data().toString().toStdString());
  EXPECT_EQ(actions_.colorMaps->checkedAction(), last);
}

TEST_F(WorkspaceActionsTest, CancelSaysSoWhereNothingRuns) {
  QSignalSpy nothing(&shown_, &WorkspaceActions::nothingToCancel);
  actions_.cancel->trigger();
  EXPECT_EQ(nothing.count(), 1);
  workspace_.picture().open(QString::fromStdString(test::writeTestPicture(128, 64)));
  actions_.cancel->trigger();
  EXPECT_EQ(nothing.count(), 1);
  EXPECT_FALSE(workspace_.worker().isBusy());
}

}  // namespace
}  // namespace softscope
