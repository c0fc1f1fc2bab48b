#include "app/window/live/OpenSeries.h"
#include "app/window/live/StepBar.h"
#include "core/Error.h"
#include "tests/app/window/live/AwaitedModels.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"
#include "widgets/workspace/WorkspaceState.h"

#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QSlider>

#include <gtest/gtest.h>

#include <string>

namespace softscope {
namespace {

TEST(ModelSeries, AStepThatIsSentAgainCountsOnce) {
  ModelSeries series(QStringLiteral("run"), 100);
  for (int i = 0; i < 5; ++i) series.add({10, std::string(60, 'a')});
  series.add({20, std::string(40, 'b')});
  EXPECT_THROW(series.add({30, "c"}), FileError);
  EXPECT_THROW(series.add({10, std::string(61, 'a')}), FileError);
  // A smaller one makes room.
  series.add({10, std::string(59, 'a')});
  series.add({30, "c"});
  EXPECT_EQ(series.steps(), (std::vector<std::int64_t>{10, 20, 30}));
}

}  // namespace

namespace {

class OpenSeriesTest : public testing::Test {
 protected:
  OpenSeriesTest() {
    for (const char* name : {"epoch_5.pth", "epoch_10.pth", "epoch_15.pth"}) {
      QFile file(folder_.filePath(QLatin1String(name)));
      EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    }
    window_.addToolBar(Qt::BottomToolBarArea, &bar_);
    bar_.hide();
    window_.show();
  }

  ModelRequest requestFor(const QString& path) {
    ModelRequest request;
    request.path = path.toStdString();
    return request;
  }
  bool comesTo(const QStringList& names) { return test::comesTo(workspace_, names); }

  QTemporaryDir folder_;
  /// The end of the path of a step that cannot be opened.
  std::string broken_ = "none";
  Workspace workspace_{test::syntheticEngine([this](const ModelRequest& request, const Progress&) {
    if (request.path.ends_with(broken_)) throw FileError(request.path, "is damaged");
    return test::syntheticModel(request);
  })};
  QMainWindow window_;
  StepBar bar_;
  OpenSeries series_{workspace_, bar_};
};

TEST_F(OpenSeriesTest, AFolderOpensAtItsLastStepWithASlider) {
  const QString name = folder_.path().section(QLatin1Char('/'), -1);
  ModelRequest request = requestFor(folder_.path());
  request.epsilon = "1e-5";
  ASSERT_TRUE(series_.open(request));
  ASSERT_TRUE(comesTo({name + QStringLiteral(", step 15")}));
  EXPECT_TRUE(bar_.isVisible());
  auto* slider = bar_.findChild<QSlider*>();
  EXPECT_EQ(slider->maximum(), 2);
  EXPECT_EQ(slider->value(), 2);
  slider->setValue(0);
  ASSERT_TRUE(comesTo({name + QStringLiteral(", step 5")}));
  const ModelRequest& opened = workspace_.models().current()->request;
  EXPECT_EQ(opened.path, folder_.filePath(QStringLiteral("epoch_5.pth")).toStdString());
  EXPECT_EQ(opened.epsilon, "1e-5") << "what the user said of the model stays";
  EXPECT_EQ(slider->value(), 0);
}

TEST_F(OpenSeriesTest, ASavedWorkspaceHasItsSliderAgain) {
  for (const QString& place : {folder_.path(), folder_.filePath(QStringLiteral("epoch_*.pth"))}) {
    workspace_.queue().close(0);
    ASSERT_TRUE(series_.open(requestFor(place)));
    ASSERT_TRUE(QTest::qWaitFor(
        [&] { return workspace_.models().all().size() == 1 && !workspace_.worker().isBusy(); },
        test::patience));
    bar_.findChild<QSlider*>()->setValue(1);
    ASSERT_TRUE(QTest::qWaitFor(
        [&] { return workspace_.models().current()->name().endsWith(QLatin1String("step 10")); },
        test::patience));
    const QString file = folder_.filePath(QStringLiteral("saved.softscope"));
    const WorkspaceState saved =
        readWorkspace(workspaceText(workspace_.state(), folder_.path()), file);
    Workspace other(test::syntheticEngine());
    StepBar bar;
    OpenSeries series(other, bar);
    other.restore(saved, {});
    ASSERT_TRUE(QTest::qWaitFor(
        [&] { return other.models().current() && !other.worker().isBusy(); }, test::patience));
    EXPECT_EQ(series.shownSteps().size(), 3u) << place.toStdString();
    EXPECT_EQ(bar.findChild<QSlider*>()->maximum(), 2);
    EXPECT_EQ(bar.findChild<QSlider*>()->value(), 1);
    bar.findChild<QSlider*>()->setValue(0);
    EXPECT_TRUE(QTest::qWaitFor(
        [&] { return other.models().current()->name().endsWith(QLatin1String("step 5")); },
        test::patience));
  }
}

TEST_F(OpenSeriesTest, AModelThatWasRenamedIsNoStep) {
  workspace_.queue().openBeside(requestFor(folder_.filePath(QStringLiteral("epoch_5.pth"))),
                                {.becomesCurrent = true, .name = QStringLiteral("mine, step 5")});
  ASSERT_TRUE(comesTo({QStringLiteral("mine, step 5")}));
  EXPECT_TRUE(series_.shownSteps().empty());
}

TEST_F(OpenSeriesTest, AFolderThatHasGrownHasItsNewSteps) {
  ASSERT_TRUE(series_.open(requestFor(folder_.path())));
  QFile added(folder_.filePath(QStringLiteral("epoch_20.pth")));
  ASSERT_TRUE(added.open(QIODevice::WriteOnly));
  ASSERT_TRUE(series_.open(requestFor(folder_.path())));
  const QString name = folder_.path().section(QLatin1Char('/'), -1);
  ASSERT_TRUE(comesTo({name + QStringLiteral(", step 15"), name + QStringLiteral(", step 20")}));
  auto* slider = bar_.findChild<QSlider*>();
  EXPECT_EQ(slider->maximum(), 3);
  slider->setValue(0);
  ASSERT_TRUE(comesTo({name + QStringLiteral(", step 15"), name + QStringLiteral(", step 5")}));
  EXPECT_EQ(slider->maximum(), 3) << "the older steps have the newer ones beside them";
}

TEST_F(OpenSeriesTest, ASingleFileIsNoSeries) {
  EXPECT_FALSE(series_.open(requestFor(folder_.filePath(QStringLiteral("epoch_5.pth")))));
  EXPECT_TRUE(workspace_.models().all().empty());
  EXPECT_TRUE(series_.open(requestFor(folder_.filePath(QStringLiteral("epoch_*.pth")))));
  EXPECT_TRUE(comesTo({QStringLiteral("epoch_*, step 15")}));
}

TEST_F(OpenSeriesTest, StepsThatComeWhileOneIsOpenedAreStepsOfTheSameModel) {
  for (const int step : {0, 1, 2, 3}) series_.add("run", {step, "recording"});
  EXPECT_EQ(workspace_.queue().wanted().size(), 1u) << "a model for the series, not for each step";
  ASSERT_TRUE(comesTo({QStringLiteral("run, step 3")}));
  // Each comes before the one before it is there.
  for (const int step : {4, 5, 6, 7}) series_.add("run", {step, "recording"});
  ASSERT_TRUE(comesTo({QStringLiteral("run, step 7")}));
  EXPECT_EQ(bar_.findChild<QSlider*>()->value(), 7);
}

TEST_F(OpenSeriesTest, WhoeverChoosesAStepStaysThereEvenWhileItIsOpened) {
  for (const int step : {0, 1}) series_.add("run", {step, "recording"});
  ASSERT_TRUE(comesTo({QStringLiteral("run, step 1")}));
  bar_.findChild<QSlider*>()->setValue(0);
  series_.add("run", {2, "recording"});
  ASSERT_TRUE(comesTo({QStringLiteral("run, step 0")}));
  bar_.findChild<QSlider*>()->setValue(2);
  series_.add("run", {3, "recording"});
  EXPECT_TRUE(comesTo({QStringLiteral("run, step 3")})) << "the last step was wanted again";
}

TEST_F(OpenSeriesTest, WhatIsCancelledIsNotFollowed) {
  series_.add("run", {0, "recording"});
  ASSERT_TRUE(comesTo({QStringLiteral("run, step 0")}));
  series_.add("run", {1, "recording"});
  series_.add("run", {2, "recording"});
  workspace_.queue().cancel();
  EXPECT_TRUE(comesTo({QStringLiteral("run, step 0")}));
  EXPECT_FALSE(workspace_.queue().wanted().front().isPending);
}

TEST_F(OpenSeriesTest, AFirstStepThatCannotBeOpenedDoesNotHoldUpThoseAfterIt) {
  broken_ = "step_0.safetensors";
  series_.add("run", {0, "recording"});
  series_.add("run", {1, "recording"});
  ASSERT_TRUE(comesTo({QStringLiteral("run, step 1")}));
  series_.add("run", {2, "recording"});
  EXPECT_TRUE(comesTo({QStringLiteral("run, step 2")}));
}

TEST_F(OpenSeriesTest, AStepThatCannotBeOpenedEndsNoFollowing) {
  broken_ = "step_1.safetensors";
  series_.add("run", {0, "recording"});
  ASSERT_TRUE(comesTo({QStringLiteral("run, step 0")}));
  series_.add("run", {1, "recording"});
  test::settle(workspace_);
  ASSERT_TRUE(comesTo({QStringLiteral("run, step 0")}));
  series_.add("run", {2, "recording"});
  EXPECT_TRUE(comesTo({QStringLiteral("run, step 2")}));
}

TEST_F(OpenSeriesTest, TheSliderStaysAtTheStepThatIsShown) {
  broken_ = "epoch_5.pth";
  ASSERT_TRUE(series_.open(requestFor(folder_.path())));
  const QString last = folder_.path().section(QLatin1Char('/'), -1) + QStringLiteral(", step 15");
  ASSERT_TRUE(comesTo({last}));
  auto* slider = bar_.findChild<QSlider*>();
  slider->setValue(0);
  ASSERT_TRUE(comesTo({last}));
  EXPECT_EQ(slider->value(), 2) << "the first step cannot be opened";
  slider->setValue(1);
  workspace_.queue().cancel();
  ASSERT_TRUE(comesTo({last}));
  EXPECT_EQ(slider->value(), 2) << "the second step was cancelled";
}

}  // namespace
}  // namespace softscope
