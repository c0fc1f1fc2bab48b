#include "app/window/MainWindow.h"
#include "core/analysis/spectrum/SpectrumAnalysis.h"
#include "core/inspect/LayerMap.h"
#include "tests/app/window/SyntheticContent.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/controls/MapChoice.h"
#include "widgets/pages/ComparePage.h"
#include "widgets/pages/HeadsPage.h"
#include "widgets/pages/MatrixPage.h"
#include "widgets/pages/PlotPage.h"
#include "widgets/pages/RolloutPage.h"
#include "widgets/views/CompareLineView.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/views/MatrixBoard.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Workspace.h"
#include "widgets/workspace/WorkspaceState.h"

#include <QtGui/QStandardItemModel>
#include <QtTest/QTest>
#include <QtWidgets/QLabel>

#include <gtest/gtest.h>

#include <stdexcept>

namespace softscope {
namespace {

class MapChoiceTest : public test::WindowFixture {
 protected:
  MapChoiceTest() {
    start(test::syntheticEngine(), test::syntheticContent({"soft.pth"}), {1280, 800});
  }
  Workspace& workspace() { return window_->workspace(); }
  template <typename PageType>
  PageType& show(const char* name) {
    workspace().setPage(QString::fromLatin1(name));
    settle();
    for (Page* page : window_->findChildren<Page*>()) {
      // Pages made from a description have no meta-object of their own.
      if (auto* found = dynamic_cast<PageType*>(page)) return *found;
    }
    throw std::logic_error("there is no such page");
  }
  template <typename PageType>
  MapChoice& choiceOn(PageType& page) {
    return *page.template findChild<MapChoice*>();
  }
  /// As a user at the keyboard does.
  void chooseLast(MapChoice& choice) {
    choice.setFocus(Qt::TabFocusReason);
    QTest::keyClick(&choice, Qt::Key_End);
    settle();
  }
  const LayerInspection& layer() { return *workspace().models().shownLayer(); }
};

TEST_F(MapChoiceTest, HeadsShowTheEffectiveMap) {
  HeadsPage& page = show<HeadsPage>("heads");
  MapChoice& choice = choiceOn(page);
  EXPECT_TRUE(choice.focusPolicy() & Qt::TabFocus);
  const auto shown = [&] { return page.findChild<HeadGrid*>()->view(1).panel().values.patches; };
  const Vector attention = shown();
  chooseLast(choice);
  EXPECT_EQ(workspace().view().map(), ShownMap::Effective);
  const auto whole = mapOf(layer(), ShownMap::Effective);
  const auto alone = mapOf(layer(), ShownMap::Attention);
  int token = 0;
  while (alone->row(1, token) != attention) ++token;
  EXPECT_EQ(shown(), whole->row(1, token));
  EXPECT_NE(shown(), attention);
}

TEST_F(MapChoiceTest, IsOffWhereNothingStandsBesideTheAttention) {
  for (const char* name : {"heads", "compare", "matrix", "spectrum"}) {
    SCOPED_TRACE(name);
    workspace().layers().choose("block1.0.attn");
    workspace().view().setMap(ShownMap::Effective);
    Page& page = name == std::string("heads")     ? static_cast<Page&>(show<HeadsPage>(name))
                 : name == std::string("compare") ? show<ComparePage>(name)
                 : name == std::string("matrix")
                     ? show<MatrixPage>(name)
                     : static_cast<Page&>(show<PlottedAnalysisPage<SpectrumAnalysis>>(name));
    MapChoice& choice = choiceOn(page);
    EXPECT_TRUE(choice.isEnabled());
    EXPECT_EQ(choice.currentText(), QStringLiteral("Effective map"));
    EXPECT_FALSE(choice.accessibleName().isEmpty());
    workspace().layers().choose("block2.0.attn");
    settle();
    EXPECT_FALSE(choice.isEnabled());
    EXPECT_EQ(choice.currentText(), QStringLiteral("Attention map")) << "which is what is shown";
    EXPECT_TRUE(choice.toolTip().contains(QStringLiteral("no convolution of V"))) << "and why";
    EXPECT_EQ(workspace().view().map(), ShownMap::Effective) << "for layers that have one";
  }
}

TEST_F(MapChoiceTest, ComparedLinesSayWhatTheyShow) {
  ComparePage& page = show<ComparePage>("compare");
  const Vector attention = page.line(0).view(1).panel().values.patches;
  chooseLast(choiceOn(page));
  const Vector effective = page.line(0).view(1).panel().values.patches;
  EXPECT_EQ(effective.size(), attention.size());
  EXPECT_NE(effective, attention);
}

TEST_F(MapChoiceTest, MatricesAndTheirLineScoresAreOfTheMap) {
  MatrixPage& page = show<MatrixPage>("matrix");
  const auto note = [&] { return page.matrices().view(0).panel().note; };
  const QString before = note();
  chooseLast(choiceOn(page));
  const MatrixPanel& panel = page.matrices().view(0).panel();
  ASSERT_TRUE(panel.detail.values);
  EXPECT_EQ((*panel.detail.values)(9, 10), mapOf(layer(), ShownMap::Effective)->row(0, 9)[10]);
  EXPECT_NE((*panel.detail.values)(9, 10), test::syntheticValue(0, 9, 10));
  EXPECT_NE(note(), before);
}

TEST_F(MapChoiceTest, SpectraAreOfTheMapAndTheBottleneckHasNone) {
  auto& page = show<PlottedAnalysisPage<SpectrumAnalysis>>("spectrum");
  MapChoice& choice = choiceOn(page);
  chooseLast(choice);
  bool said = false;
  for (const QLabel* label : page.findChildren<QLabel*>()) {
    said |= label->text().contains(
        QStringLiteral("spectrum of the effective map (attention + convolution)"),
        Qt::CaseInsensitive);
  }
  EXPECT_TRUE(said);
  AnalysisSettings settings = workspace().analysis().settings();
  settings.of<SpectrumSettings>().of = SpectrumMatrix::Bottleneck;
  workspace().analysis().set(settings);
  settle();
  EXPECT_FALSE(choice.isEnabled());
  EXPECT_EQ(choice.currentText(), QStringLiteral("Attention map"));
}

TEST_F(MapChoiceTest, RolloutsFollowTheAttentionWhateverElseIsChosen) {
  auto& page = show<RolloutPage>("rollout");
  MapChoice& choice = choiceOn(page);
  const auto isOffered = [&](ShownMap map) {
    const auto& items = dynamic_cast<const QStandardItemModel&>(*choice.model());
    return items.item(static_cast<int>(map))->isEnabled();
  };
  AnalysisSettings settings = workspace().analysis().settings();
  settings.of<RolloutSettings>().residual = ResidualWeight::Half;
  workspace().analysis().set(settings);
  workspace().view().setMap(ShownMap::Effective);
  settle();
  EXPECT_TRUE(choice.isEnabled());
  EXPECT_EQ(choice.currentText(), QStringLiteral("Attention map")) << "which is rolled out";
  EXPECT_TRUE(page.hasFigure());
  EXPECT_TRUE(isOffered(ShownMap::Attention));
  EXPECT_FALSE(isOffered(ShownMap::Convolution));
  EXPECT_FALSE(isOffered(ShownMap::Effective));
  EXPECT_FALSE(isOffered(ShownMap::Kernel));
  EXPECT_EQ(workspace().view().map(), ShownMap::Effective) << "for other pages";
}

TEST_F(MapChoiceTest, IsPartOfTheWorkspace) {
  workspace().view().setMap(ShownMap::Convolution);
  const WorkspaceState state = workspace().state();
  EXPECT_EQ(state.map.map, ShownMap::Convolution);
  workspace().view().setMap(ShownMap::Attention);
  workspace().restore(state);
  settle();
  EXPECT_EQ(workspace().view().map(), ShownMap::Convolution);
}

}  // namespace
}  // namespace softscope
