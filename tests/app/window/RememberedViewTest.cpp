#include "app/window/RememberedView.h"
#include "app/window/WindowOptions.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/ViewChoice.h"
#include "widgets/workspace/Workspace.h"

#include <gtest/gtest.h>

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
}  // namespace softscope
