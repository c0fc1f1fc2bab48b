#include "tests/widgets/SlowColumns.h"
#include "tests/widgets/workspace/OpenedSynthetic.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/ShownLayers.h"

#include <QtTest/QSignalSpy>

#include <gtest/gtest.h>

namespace softscope {
namespace {

using test::SlowColumns;

class ShownLayersTest : public testing::Test {
 protected:
  const std::string& layerOf(std::size_t index) { return models_.all()[index].layer; }

  Worker worker_;
  OpenModels models_;
  ComparisonChoice comparison_;
  ShownLayers layers_{models_, comparison_, worker_};
};

class TwoModelsLayersTest : public ShownLayersTest {
 protected:
  TwoModelsLayersTest() {
    models_.place(test::inspectedSynthetic(1), {}, true);
    models_.place(test::inspectedSynthetic(2), {}, true);
  }
};

TEST_F(ShownLayersTest, ANewModelShowsTheFirstLayerOfSeveralHeadsOrTheOneThatWasAskedFor) {
  const OpenedModel model = test::openedSynthetic(1);
  EXPECT_EQ(layers_.firstOf(model), "block1.0.attn");
  layers_.setFirst("blocks.2.attn");
  EXPECT_EQ(layers_.firstOf(model), "blocks.2.attn");
  layers_.setFirst("nowhere");
  EXPECT_EQ(layers_.firstOf(model), "block1.0.attn");

  OpenedModel current = test::inspectedSynthetic(2);
  current.layer = "block2.0.attn";
  models_.place(current, {}, true);
  EXPECT_EQ(layers_.firstOf(model), "block2.0.attn") << "as the one that is shown";
}

TEST_F(ShownLayersTest, WithoutModelsNothingHappens) {
  QSignalSpy changes(&models_, &OpenModels::layerChanged);
  layers_.choose("block1.0.attn");
  layers_.step(1);
  EXPECT_EQ(changes.count(), 0);
  layers_.setDirection(Direction::Columns);
  EXPECT_EQ(layers_.direction(), Direction::Columns) << "there is nothing to prepare";
}

TEST_F(TwoModelsLayersTest, LinkedLayersFollowOneAnother) {
  layers_.chooseFor(0, "block2.0.attn");
  EXPECT_EQ(layerOf(1), "block2.0.attn");
  comparison_.set({.linkedLayers = false});
  layers_.chooseFor(0, "block1.0.attn");
  EXPECT_EQ(layerOf(0), "block1.0.attn");
  EXPECT_EQ(layerOf(1), "block2.0.attn");
  comparison_.set({.linkedLayers = true});
  EXPECT_EQ(layerOf(0), "block2.0.attn") << "the current model leads";
}

TEST_F(TwoModelsLayersTest, StepsEndAtTheFirstAndTheLastLayer) {
  layers_.step(-1);
  EXPECT_EQ(layerOf(1), "block1.0.attn");
  layers_.step(1);
  EXPECT_EQ(layerOf(1), "block2.0.attn");
  layers_.step(5);
  EXPECT_EQ(layerOf(1), "blocks.2.attn");
}

TEST_F(TwoModelsLayersTest, ALayerThatTheModelHasNotIsNotChosen) {
  QSignalSpy changes(&models_, &OpenModels::layerChanged);
  layers_.choose("block9.0.attn");
  layers_.choose("block1.0.attn");
  layers_.chooseFor(2, "block2.0.attn");
  EXPECT_EQ(changes.count(), 0);
  EXPECT_EQ(layerOf(1), "block1.0.attn");
}

class SlowLayersTest : public ShownLayersTest {
 protected:
  SlowLayersTest() {
    SlowColumns::mayEnd = false;
    OpenedModel model = test::inspectedSynthetic(1);
    auto inspection = std::make_shared<Inspection>(*model.inspection);
    for (LayerInspection& layer : inspection->layers) {
      layer.attention = std::make_shared<SlowColumns>(layer.attention);
    }
    model.setInspection(inspection);
    models_.place(model, {}, true);
  }
  void finish() {
    SlowColumns::mayEnd = true;
    test::settle(worker_);
  }
  bool isReady() { return models_.shownLayer()->attention->columnsReady(); }
};

TEST_F(SlowLayersTest, TheDirectionChangesWhenColumnsAreReady) {
  QSignalSpy changes(&layers_, &ShownLayers::directionChanged);
  layers_.setDirection(Direction::Columns);
  EXPECT_TRUE(worker_.isBusy(Worker::Kind::Columns));
  EXPECT_EQ(layers_.direction(), Direction::Rows);
  // Another layer, for which nothing was prepared.
  layers_.choose("block2.0.attn");
  EXPECT_EQ(layerOf(0), "block2.0.attn") << "rows need no preparing";
  finish();
  EXPECT_EQ(layers_.direction(), Direction::Columns);
  EXPECT_EQ(changes.count(), 1);
  EXPECT_TRUE(isReady());
}

TEST_F(SlowLayersTest, AnotherLayerIsShownWhenItsColumnsAreReady) {
  layers_.setDirection(Direction::Columns);
  finish();
  SlowColumns::mayEnd = false;
  layers_.choose("block2.0.attn");
  EXPECT_EQ(layerOf(0), "block1.0.attn");
  finish();
  EXPECT_EQ(layerOf(0), "block2.0.attn");
  EXPECT_TRUE(isReady());
  layers_.choose("block1.0.attn");
  EXPECT_EQ(layerOf(0), "block1.0.attn") << "at once: it was prepared";
}

TEST_F(SlowLayersTest, GoingBackToWhatIsShownTakesTheWishBack) {
  layers_.setDirection(Direction::Columns);
  finish();
  SlowColumns::mayEnd = false;
  layers_.choose("block2.0.attn");
  EXPECT_TRUE(worker_.isBusy(Worker::Kind::Columns));
  layers_.choose("block1.0.attn");
  finish();
  EXPECT_EQ(layerOf(0), "block1.0.attn");
}

TEST_F(SlowLayersTest, RowsTakeTheWishBack) {
  layers_.setDirection(Direction::Columns);
  layers_.setDirection(Direction::Rows);
  finish();
  EXPECT_EQ(layers_.direction(), Direction::Rows);
}

TEST_F(SlowLayersTest, ALayerThatWaitsIsShownInTheOtherDirection) {
  layers_.setDirection(Direction::Columns);
  finish();
  SlowColumns::mayEnd = false;
  layers_.choose("block2.0.attn");
  layers_.setDirection(Direction::Columns);
  EXPECT_TRUE(worker_.isBusy(Worker::Kind::Columns)) << "nothing else was asked for";
  layers_.setDirection(Direction::Rows);
  EXPECT_EQ(layers_.direction(), Direction::Rows);
  EXPECT_EQ(layerOf(0), "block2.0.attn");
  finish();
}

TEST_F(SlowLayersTest, ALayerThatTheUserStoppedIsNotShownLater) {
  layers_.setDirection(Direction::Columns);
  finish();
  SlowColumns::mayEnd = false;
  layers_.choose("block2.0.attn");
  worker_.cancelAll();
  layers_.setDirection(Direction::Rows);
  EXPECT_EQ(layerOf(0), "block1.0.attn");
  finish();
}

}  // namespace
}  // namespace softscope
