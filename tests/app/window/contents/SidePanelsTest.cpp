#include "app/window/contents/SidePanels.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/panels/LayerTree.h"
#include "widgets/panels/ModelPanel.h"
#include "widgets/panels/PinStrip.h"
#include "widgets/panels/PredictionList.h"
#include "widgets/panels/ViewPanel.h"
#include "widgets/views/PictureView.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Workspace.h"

#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QVBoxLayout>

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>

namespace softscope {
namespace {

class SidePanelsTest : public testing::Test {
 protected:
  SidePanelsTest() {
    const DockContents contents = panels_.contents();
    auto* column = new QVBoxLayout(&place_);
    for (QWidget* panel :
         {contents.picture, contents.predictions, contents.model, contents.layers, contents.view}) {
      column->addWidget(panel);
    }
    place_.resize(400, 1200);
    place_.show();
    workspace_.picture().open(QString::fromStdString(test::writeTestPicture(128, 64)));
    ModelRequest request;
    request.path = "soft.pth";
    workspace_.queue().open(request);
    settle();
  }
  void settle() { test::settle(workspace_); }
  template <typename Widget>
  Widget& find() {
    return *place_.findChild<Widget*>();
  }

  Workspace workspace_{test::syntheticEngine()};
  QWidget place_;
  SidePanels panels_{workspace_};
};

TEST_F(SidePanelsTest, TheOnlyClassHasItsLogitAndNoProbability) {
  auto& list = find<PredictionList>();
  list.setLines({{QStringLiteral("class 0"), topPredictions({0.157F}, 1).front()}});
  EXPECT_FALSE(list.accessibleDescription().contains(QStringLiteral("100.0")));
  EXPECT_TRUE(list.accessibleDescription().contains(QStringLiteral("logit 0.157")));
  list.setLines({{QStringLiteral("class 0"), topPredictions({0.0F, 0.0F}, 1).front()}});
  EXPECT_TRUE(list.accessibleDescription().contains(QStringLiteral("50.0 %")));
  EXPECT_FALSE(list.accessibleDescription().contains(QStringLiteral("only class")));
}

TEST_F(SidePanelsTest, ThePictureAsksTheWorkspace) {
  AskedQueries& queries = workspace_.queries();
  auto& view = find<PictureView>();
  Q_EMIT view.pressed({0.9, 0.1});
  EXPECT_EQ(queries.token(), 7);
  Q_EMIT view.dragged({0.1, 0.1});
  EXPECT_EQ(queries.token(), 0);
  Q_EMIT view.stepped(1, 0);
  EXPECT_EQ(queries.token(), 8);
  Q_EMIT view.pinned({0.5, 0.5});
  Q_EMIT view.pinned({0.2, 0.2});
  ASSERT_EQ(queries.pins().size(), 2u);
  Q_EMIT find<PinStrip>().chosen(1);
  EXPECT_EQ(queries.query(), (PictureQuery{0.2, 0.2}));
  Q_EMIT find<PinStrip>().removed(0);
  ASSERT_EQ(queries.pins().size(), 1u);
  Q_EMIT view.zoomed(2, {0.5, 0.5});
  EXPECT_EQ(workspace_.view().visible().width(), 0.5);
}

TEST_F(SidePanelsTest, AClickOnAPredictionAsksWhatSpeaksForTheClass) {
  auto& predictions = find<PredictionList>();
  workspace_.setPage(QStringLiteral("heads"));
  ASSERT_GT(predictions.lines().size(), 1u);
  const int height = predictions.sizeHint().height() / 5;
  QTest::mouseClick(&predictions, Qt::LeftButton, {}, QPoint(30, height + height / 2));
  const auto chosen = [this] {
    return workspace_.analysis().settings().of<ClassMapSettings>().classIndex;
  };
  EXPECT_EQ(chosen(), predictions.lines()[1].prediction.classIndex);
  EXPECT_NE(chosen(), predictions.lines()[0].prediction.classIndex);
  EXPECT_EQ(workspace_.page(), QStringLiteral("class"));
  workspace_.setPage(QStringLiteral("heads"));
  workspace_.view().setMap(ShownMap::GradientProduct);
  QTest::mouseClick(&predictions, Qt::LeftButton, {}, QPoint(30, height / 2));
  EXPECT_EQ(chosen(), predictions.lines()[0].prediction.classIndex);
  EXPECT_EQ(workspace_.page(), QStringLiteral("heads")) << "whose maps are of the class already";
}

TEST_F(SidePanelsTest, ThePredictionsAreReachedByKeys) {
  auto& predictions = find<PredictionList>();
  ASSERT_GT(predictions.lines().size(), 1u);
  EXPECT_TRUE(predictions.focusPolicy() & Qt::TabFocus);
  QSignalSpy chosen(&predictions, &PredictionList::chosen);
  const QImage before = predictions.grab().toImage();
  place_.activateWindow();
  predictions.setFocus();
  ASSERT_TRUE(QTest::qWaitFor([&] { return predictions.hasFocus(); }, test::patience));
  EXPECT_NE(predictions.grab().toImage(), before) << "a frame is around the first class";
  QTest::keyClick(&predictions, Qt::Key_Down);
  QTest::keyClick(&predictions, Qt::Key_Return);
  QTest::keyClick(&predictions, Qt::Key_Up);
  QTest::keyClick(&predictions, Qt::Key_Up);
  QTest::keyClick(&predictions, Qt::Key_Space);
  ASSERT_EQ(chosen.count(), 2);
  EXPECT_EQ(chosen[0].front().toInt(), predictions.lines()[1].prediction.classIndex);
  EXPECT_EQ(chosen[1].front().toInt(), predictions.lines()[0].prediction.classIndex);
}

TEST_F(SidePanelsTest, ThePointerIsReadOutUntilItLeaves) {
  QSignalSpy told(&panels_, &SidePanels::readOut);
  Q_EMIT find<PictureView>().hovered({1, 2});
  Q_EMIT find<PictureView>().left();
  ASSERT_EQ(told.count(), 2);
  EXPECT_EQ(told[0].front().toString(), QStringLiteral("patch (1, 2)"));
  EXPECT_TRUE(told[1].front().toString().isEmpty());
}

TEST_F(SidePanelsTest, ModelAndViewAreChangedInTheWorkspace) {
  Q_EMIT find<LayerTree>().layerChosen("block2.0.attn");
  EXPECT_EQ(workspace_.models().current()->layer, "block2.0.attn");
  Q_EMIT find<ModelPanel>().mechanismChosen("gaussian");
  settle();
  EXPECT_EQ(workspace_.models().current()->summary().mechanism, "gaussian");
  Q_EMIT find<ViewPanel>().overHeadsChosen({.mean = true, .largest = true});
  EXPECT_TRUE(workspace_.view().overHeads().largest);
}

TEST_F(SidePanelsTest, ASizeThatIsNoneIsRefusedWithAReason) {
  QSignalSpy refused(&panels_, &SidePanels::refused);
  Q_EMIT find<ModelPanel>().inputSizeRefused(QStringLiteral("huge"));
  ASSERT_EQ(refused.count(), 1);
  EXPECT_TRUE(refused.front().front().toString().startsWith(QStringLiteral("“huge” is no size")));
}

TEST_F(SidePanelsTest, LogitsThatAreNoNumbersAreNoPredictions) {
  const auto& predictions = find<PredictionList>();
  ASSERT_FALSE(predictions.lines().empty());
  OpenedModel opened = *workspace_.models().current();
  auto inspection = std::make_shared<Inspection>(*opened.inspection);
  inspection->logits[1] = std::nanf("");
  opened.setInspection(std::move(inspection));
  workspace_.models().update(opened);
  EXPECT_TRUE(predictions.lines().empty());
  EXPECT_EQ(predictions.message(), QStringLiteral("No predictions: the logits are not finite."));
}

TEST_F(SidePanelsTest, APinThatIsGoneIsNotAsked) {
  AskedQueries& queries = workspace_.queries();
  queries.pin({0.5, 0.5});
  const PictureQuery before = queries.query();
  for (const int gone : {-1, 1, 1000}) Q_EMIT find<PinStrip>().chosen(gone);
  EXPECT_EQ(queries.query(), before);
}

}  // namespace
}  // namespace softscope
