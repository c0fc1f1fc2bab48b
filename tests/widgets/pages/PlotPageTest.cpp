#include "app/window/MainWindow.h"
#include "tests/app/window/SyntheticContent.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/pages/PlotPage.h"
#include "widgets/plot/PlotBoard.h"
#include "widgets/plot/PlotView.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Workspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace softscope {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::SizeIs;

/// The spectra of all layers of two models.
class PlotPageTest : public test::WindowFixture {
 protected:
  PlotPageTest() {
    start(test::syntheticEngine(), test::syntheticContent({"first.pth", "second.pth"}),
          {1280, 800});
    AnalysisSettings settings = workspace().analysis().settings();
    settings.setScope("spectrum", {.allLayers = true, .allModels = true});
    settings.of<SpectrumSettings>().heads = PlottedHeads::Each;
    workspace().analysis().set(settings);
    workspace().setPage(QStringLiteral("spectrum"));
    settle();
    for (auto* page : window_->findChildren<PlotPage*>()) {
      if (page->isVisible()) page_ = page;
    }
  }
  Workspace& workspace() { return window_->workspace(); }

  PlotPage* page_ = nullptr;
};

TEST_F(PlotPageTest, AClickOnACurveShowsItsHeadOfItsModel) {
  ASSERT_NE(page_, nullptr);
  const std::vector<PlotCurve>& curves = page_->board().plot(0).plot().curves;
  ASSERT_THAT(curves, SizeIs(14)) << "seven heads of each model";
  EXPECT_THAT(curves, Each(Field(&PlotCurve::places, SizeIs(1))));
  const auto wanted = std::ranges::find_if(curves, [](const PlotCurve& curve) {
    return curve.places == std::vector<PlotPlace>{{"first", "block2.0.attn", 2}};
  });
  ASSERT_NE(wanted, curves.end());
  workspace().models().setCurrent(1);
  settle();
  Q_EMIT page_->board().pointChosen(0, static_cast<int>(wanted - curves.begin()), 3);
  settle();
  EXPECT_EQ(workspace().page(), QStringLiteral("heads"));
  EXPECT_EQ(workspace().models().currentIndex(), 0);
  EXPECT_EQ(workspace().models().current()->layer, "block2.0.attn");
  EXPECT_EQ(workspace().view().onlyHead(), 2);
}

TEST_F(PlotPageTest, AClickOnAMedianShowsAllHeadsOfItsLayer) {
  AnalysisSettings settings = workspace().analysis().settings();
  settings.of<SpectrumSettings>().heads = PlottedHeads::Automatic;
  workspace().analysis().set(settings);
  workspace().view().setOnlyHead(1);
  settle();
  const std::vector<PlotCurve>& curves = page_->board().plot(0).plot().curves;
  const auto wanted = std::ranges::find_if(curves, [](const PlotCurve& curve) {
    return curve.places == std::vector<PlotPlace>{{"second", "block2.0.attn", std::nullopt}};
  });
  ASSERT_NE(wanted, curves.end());
  Q_EMIT page_->board().pointChosen(0, static_cast<int>(wanted - curves.begin()), 0);
  settle();
  EXPECT_EQ(workspace().page(), QStringLiteral("heads"));
  EXPECT_EQ(workspace().models().currentIndex(), 1);
  EXPECT_EQ(workspace().models().shownLayer()->name, "block2.0.attn");
  EXPECT_EQ(workspace().view().onlyHead(), std::nullopt);
}

TEST_F(PlotPageTest, AClickOnALineThatStandsForNoHeadLeavesThePage) {
  ASSERT_NE(page_, nullptr);
  Plot plot = page_->board().plot(0).plot();
  plot.curves.front().places.clear();
  page_->board().setPlots({plot});
  Q_EMIT page_->board().pointChosen(0, 0, 0);
  EXPECT_EQ(workspace().page(), QStringLiteral("spectrum"));
}

}  // namespace
}  // namespace softscope
