#include "app/window/FigureExport.h"
#include "app/window/MainWindow.h"
#include "core/Error.h"
#include "tests/app/window/SyntheticContent.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/WholeText.h"
#include "widgets/pages/ReachPage.h"
#include "widgets/settings/AnalysisFile.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Workspace.h"

#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtTest/QTest>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

namespace softscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ReachPageTest : public test::WindowFixture {
 protected:
  ReachPageTest() {
    Engine engine = test::syntheticEngine();
    engine.measureReach = [this](const Model&, const InputTensor&, const ReachRequest& request,
                                 const Progress&) {
      const std::scoped_lock lock(mutex_);
      requests_.push_back(request);
      Reach reach{.layer = request.layers.at(0),
                  .grid = {2, 2},
                  .patch = 3,
                  .token = 3,
                  .channels = 8,
                  .directions = request.directions,
                  .height = 4,
                  .width = 4};
      reach.pixels = Eigen::VectorXd::LinSpaced(16, 0, 15).array().square();
      reach.obstacle = obstacle_;
      return std::vector<Reach>{reach};
    };
    start(engine, test::syntheticContent({"first.pth"}, test::writeTestPicture(64, 64)),
          {1000, 700});
  }
  void showPage() {
    window_->workspace().setPage(QStringLiteral("reach"));
    settle();
  }
  ReachRequest lastRequest() {
    const std::scoped_lock lock(mutex_);
    return requests_.back();
  }
  ReachPage& page() { return *window_->findChild<ReachPage*>(); }
  std::string words() { return test::wordsOf(page()); }

  std::mutex mutex_;
  std::vector<ReachRequest> requests_;
  std::string obstacle_;
};

TEST_F(ReachPageTest, ShowsTheNormOfEveryPixelAndTheRadius) {
  showPage();
  ASSERT_EQ(page().maps().count(), 1);
  const AttentionValues& values = page().maps().view(0).panel().values;
  EXPECT_EQ(values.grid, (TokenGrid{4, 4}));
  EXPECT_FLOAT_EQ(values.at(3, 2), 14) << "the root of the square";
  EXPECT_THAT(words(), HasSubstr("which pixels reach patch (1, 1): half within"));
  EXPECT_THAT(words(), HasSubstr("12 directions at random of 8"));
}

TEST_F(ReachPageTest, FollowsTheQueryTheLayerAndTheSettings) {
  showPage();
  window_->workspace().layers().choose("block1.0.attn");
  settle();
  window_->workspace().queries().ask({.x = 0.1, .y = 0.9});
  // All places on a patch ask the same, that of its middle: here of the first of eight columns.
  ASSERT_TRUE(QTest::qWaitFor([this] { return lastRequest().x == 0.0625; }, test::patience));
  settle();
  EXPECT_THAT(requests_.back().layers, ElementsAre("block1.0.attn"));
  EXPECT_DOUBLE_EQ(requests_.back().y, 0.9375);
  AnalysisSettings settings = window_->workspace().analysis().settings();
  settings.of<ReachSettings>() = {.of = ReachGradient::PositiveSum, .directions = 5};
  window_->workspace().analysis().set(settings);
  settle();
  EXPECT_EQ(requests_.back().of, ReachGradient::PositiveSum);
  EXPECT_EQ(requests_.back().directions, 5);
  EXPECT_FLOAT_EQ(page().maps().view(0).panel().values.at(0, 2), 4) << "as it is";
  EXPECT_EQ(readAnalysis(analysisJson(settings)).of<ReachSettings>(), settings.of<ReachSettings>());
  ASSERT_TRUE(window_->canExport());
  window_->figures().copyCommand(QStringLiteral("reach.svg"), {});
  EXPECT_THAT(QGuiApplication::clipboard()->text().toStdString(),
              HasSubstr("--layer block1.0.attn --gradient positive --directions 5"));
}

TEST_F(ReachPageTest, SaysWhyThereIsNothing) {
  obstacle_ = "the network has no tokens behind it";
  showPage();
  EXPECT_THAT(words(), HasSubstr("The network has no tokens behind it"));
  EXPECT_FALSE(page().hasFigure());
}

}  // namespace
}  // namespace softscope
