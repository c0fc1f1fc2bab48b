#include "core/Error.h"
#include "core/attention/GradientProductMap.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/MapOptions.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Workspace.h"

#include <gtest/gtest.h>

#include <mutex>
#include <vector>

namespace softscope {
namespace {

/// Returns the synthetic inspection with the product of its attention and a gradient of ones.
std::shared_ptr<const Inspection> withGradient(const LogitRequest& logit) {
  auto inspection = std::make_shared<Inspection>(*test::syntheticInspection());
  for (LayerInspection& layer : inspection->layers) {
    const AttentionDescription& of = layer.attention->description();
    const auto ones = [&](int rows) {
      return MatrixStack(
          std::vector<Matrix>(static_cast<std::size_t>(of.heads), Matrix::Ones(rows, 2)));
    };
    layer.gradientObstacle.clear();
    layer.gradientProduct = std::make_shared<GradientProductMap>(
        layer.attention, ones(of.queries), ones(of.keys), GradientProductMap::Logit{logit, "cat"});
  }
  return inspection;
}

class ShownGradientTest : public testing::Test {
 protected:
  ShownGradientTest() {
    workspace_.picture().open(QString::fromStdString(test::writeTestPicture(128, 64)));
    ModelRequest request;
    request.path = "soft.pth";
    workspace_.queue().open(request);
    settle();
  }
  std::shared_ptr<const Inspection> inspect(const InspectionOptions& options) {
    const std::lock_guard lock(mutex_);
    asked_.push_back(options.logit);
    if (options.logit && options.logit->classIndex == 99) throw InspectionError("no memory");
    if (options.logit && !ignores_) return withGradient(*options.logit);
    auto plain = std::make_shared<Inspection>(*test::syntheticInspection());
    for (LayerInspection& layer : plain->layers) layer.gradientObstacle.clear();
    return plain;
  }
  void settle() { test::settle(workspace_); }
  std::vector<std::optional<LogitRequest>> takeAsked() {
    const std::lock_guard lock(mutex_);
    return std::exchange(asked_, {});
  }

  std::mutex mutex_;
  std::vector<std::optional<LogitRequest>> asked_;
  bool ignores_ = false;
  Workspace workspace_{test::syntheticEngine(
      test::openSynthetic, [this](const Model&, const InputTensor&, const Progress&,
                                  const InspectionOptions& options) { return inspect(options); })};
};

using Asked = std::vector<std::optional<LogitRequest>>;

TEST_F(ShownGradientTest, IsComputedWhenItIsChosenAndForEveryClass) {
  EXPECT_EQ(takeAsked(), Asked{std::nullopt});
  workspace_.view().setMap(ShownMap::GradientProduct);
  EXPECT_EQ(currentMap(workspace_).shown, ShownMap::Attention) << "until it is there";
  settle();
  EXPECT_EQ(takeAsked(), Asked{LogitRequest{}});
  EXPECT_EQ(currentMap(workspace_).shown, ShownMap::GradientProduct);
  chooseLogit(workspace_, {.classIndex = 2, .against = 1});
  settle();
  EXPECT_EQ(takeAsked(), (Asked{LogitRequest{.classIndex = 2, .against = 1}}));
  chooseLogit(workspace_, {.against = 1});
  settle();
  EXPECT_EQ(takeAsked(), Asked{LogitRequest{}}) << "of the predicted class nothing is subtracted";
}

TEST_F(ShownGradientTest, StaysWhileOtherMapsAreShown) {
  workspace_.view().setMap(ShownMap::GradientProduct);
  settle();
  takeAsked();
  workspace_.view().setMap(ShownMap::Attention);
  settle();
  workspace_.view().setMap(ShownMap::GradientProduct);
  settle();
  EXPECT_TRUE(takeAsked().empty());
  EXPECT_EQ(currentMap(workspace_).shown, ShownMap::GradientProduct);
  workspace_.picture().open(QString::fromStdString(test::writeTestPicture(64, 64, "other.png")));
  settle();
  EXPECT_EQ(takeAsked(), Asked{LogitRequest{}}) << "of another picture at once";
}

TEST_F(ShownGradientTest, OfAnEngineThatHasNoneIsAskedForOnce) {
  takeAsked();
  ignores_ = true;
  workspace_.view().setMap(ShownMap::GradientProduct);
  settle();
  EXPECT_EQ(takeAsked(), Asked{LogitRequest{}});
  EXPECT_EQ(currentMap(workspace_).shown, ShownMap::Attention);
}

TEST_F(ShownGradientTest, ThatFailsLeavesWhatWasShown) {
  takeAsked();
  workspace_.view().setMap(ShownMap::GradientProduct);
  settle();
  chooseLogit(workspace_, {.classIndex = 99});
  settle();
  ASSERT_TRUE(workspace_.models().shownLayer());
  EXPECT_EQ(workspace_.models().shownLayer()->gradientProduct->logit().asked, LogitRequest{});
  chooseLogit(workspace_, {.classIndex = 3});
  settle();
  EXPECT_EQ(workspace_.models().shownLayer()->gradientProduct->logit().asked,
            (LogitRequest{.classIndex = 3}))
      << "and another class can be chosen";
}

}  // namespace
}  // namespace softscope
