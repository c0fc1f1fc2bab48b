#include "app/window/InitialContent.h"
#include "app/window/SurveyFiles.h"
#include "app/window/WindowActions.h"
#include "app/window/WindowOptions.h"
#include "app/window/WorkspaceFiles.h"
#include "app/window/live/OpenSeries.h"
#include "app/window/live/StepBar.h"
#include "core/array/Npz.h"
#include "tests/core/files/TemporaryFolder.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Workspace.h"

#include <QtTest/QSignalSpy>
#include <QtWidgets/QMainWindow>

#include <gtest/gtest.h>

namespace softscope {
namespace {

NamedArrays arraysOf(const char* name) {
  NamedArrays arrays;
  arrays.emplace_back(name, FloatArray{{1}, {1.0f}});
  return arrays;
}

class InitialContentTest : public testing::Test {
 protected:
  InitialContentTest() {
    options_.bundledPicture = test::writeTestPicture(128, 64, "bundled.png");
    options_.bundledModel = "bundled.pth";
  }
  void open() {
    first_.open();
    test::settle(workspace_);
  }
  void addModel(const std::string& path) {
    ModelRequest request;
    request.path = path;
    options_.models.push_back(request);
  }

  WindowOptions options_;
  Workspace workspace_{test::syntheticEngine()};
  QMainWindow window_;
  WindowActions& actions_ = *new WindowActions(window_);
  WindowSettings settings_;
  WorkspaceFiles files_{window_, workspace_, actions_, settings_};
  SurveyFiles surveys_{window_, workspace_, actions_, settings_};
  StepBar bar_;
  OpenSeries series_{workspace_, bar_};
  InitialContent first_{options_, workspace_, files_, surveys_, series_};
  QSignalSpy failures_{&first_, &InitialContent::failed};
};

TEST_F(InitialContentTest, WhereNothingIsSaidWhatIsBundledIsOpened) {
  open();
  EXPECT_EQ(workspace_.picture().get()->path, options_.bundledPicture);
  EXPECT_EQ(workspace_.models().current()->request.path, "bundled.pth");
  EXPECT_EQ(workspace_.page(), QStringLiteral("heads"));
}

TEST_F(InitialContentTest, ARecordingIsOpenedAsTheModel) {
  const test::TemporaryFolder folder;
  const std::string recording = options_.picturePath = folder.file("recording.npz");
  writeNpz(recording, arraysOf("note"));
  open();
  ASSERT_EQ(workspace_.models().all().size(), 1u);
  EXPECT_EQ(workspace_.models().current()->request.path, recording);
}

TEST_F(InitialContentTest, ARecordingIsThePictureOfModelsThatAreGiven) {
  const test::TemporaryFolder folder;
  options_.picturePath = folder.file("recording.npz");
  writeNpz(options_.picturePath, arraysOf("note"));
  addModel("own.pth");
  open();
  ASSERT_EQ(workspace_.models().all().size(), 1u);
  EXPECT_EQ(workspace_.models().current()->request.path, "own.pth");
}

TEST_F(InitialContentTest, ASurveyIsOpenedAloneOrWithModels) {
  options_.picturePath = "/nowhere/at.survey";
  addModel("own.pth");
  open();
  EXPECT_EQ(workspace_.page(), QStringLiteral("survey"));
  EXPECT_EQ(workspace_.analysis().settings().of<SurveySettings>().file, "/nowhere/at.survey");
  EXPECT_EQ(workspace_.picture().get(), nullptr);
  ASSERT_EQ(workspace_.models().all().size(), 1u);
  EXPECT_EQ(workspace_.models().current()->request.path, "own.pth");
}

TEST_F(InitialContentTest, WhatIsBundledIsSeenAtALayerAndAPlaceThatAnswer) {
  options_.bundledLayer = "block2.0.attn";
  options_.bundledQuery = PictureQuery{.x = 0.25, .y = 0.75};
  open();
  EXPECT_EQ(workspace_.models().current()->layer, "block2.0.attn");
  EXPECT_EQ(workspace_.queries().query(), (PictureQuery{.x = 0.25, .y = 0.75}));
}

TEST_F(InitialContentTest, APlaceOnTheBundledPictureIsNotAskedOfAnotherModel) {
  options_.bundledQuery = PictureQuery{.x = 0.25, .y = 0.75};
  addModel("a.pth");
  open();
  EXPECT_EQ(workspace_.queries().query(), (PictureQuery{.x = 0.5625, .y = 0.5625}))
      << "but the patch in its middle";
}

TEST_F(InitialContentTest, SeveralModelsAreComparedAndTheFirstIsInFront) {
  addModel("a.pth");
  addModel("b.pth");
  open();
  EXPECT_EQ(workspace_.picture().get()->path, options_.bundledPicture);
  EXPECT_EQ(workspace_.models().all().size(), 2u);
  EXPECT_EQ(workspace_.models().current()->request.path, "a.pth");
  EXPECT_EQ(workspace_.page(), QStringLiteral("compare"));
}

TEST_F(InitialContentTest, APatchIsAskedOnceAndNeverAgain) {
  options_.patch = Patch{2, 3};
  open();
  EXPECT_EQ(workspace_.queries().token(), 2 * 8 + 3);
  workspace_.queries().askPatch({1, 1});
  ModelRequest request;
  request.path = "other.pth";
  workspace_.queue().open(request);
  test::settle(workspace_);
  EXPECT_EQ(workspace_.queries().token(), 9) << "the user's query stays";
  EXPECT_EQ(failures_.count(), 0);
}

TEST_F(InitialContentTest, APlaceIsAskedAsFractions) {
  options_.query = PictureQuery{0.99, 0.99};
  open();
  EXPECT_EQ(workspace_.queries().token(), 63);
}

TEST_F(InitialContentTest, WhatTheModelHasNothingForIsTold) {
  options_.patch = Patch{8, 0};
  options_.layer = "nowhere";
  open();
  ASSERT_EQ(failures_.count(), 2);
  EXPECT_EQ(failures_[0].front().toString(),
            QStringLiteral("There is no layer nowhere in this model; the panel Layers lists those "
                           "it has"));
  EXPECT_EQ(failures_[1].front().toString(),
            QStringLiteral("The query 8,0 is outside this layer's 8 × 8 patches, counted from 0"));
  EXPECT_EQ(workspace_.queries().token(), 4 * 8 + 4) << "the patch in the middle is asked";
}

TEST_F(InitialContentTest, NothingIsUndoneThatNobodyAsked) {
  options_.bundledQuery = PictureQuery{0.9, 0.8};
  open();
  EXPECT_EQ(workspace_.queries().query(), *options_.bundledQuery);
  EXPECT_FALSE(workspace_.queries().canUndo());
  workspace_.queries().askPatch({0, 0});
  EXPECT_TRUE(workspace_.queries().canUndo());
}

}  // namespace
}  // namespace softscope
