#include "tests/widgets/workspace/OpenedSynthetic.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"

#include <QtTest/QSignalSpy>

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(ComparisonChoiceTest, SaysWhenLayersBecomeLinked) {
  ComparisonChoice comparison;
  QSignalSpy changes(&comparison, &ComparisonChoice::changed);
  QSignalSpy links(&comparison, &ComparisonChoice::layersLinked);
  comparison.set({});
  EXPECT_EQ(changes.count(), 0);
  comparison.set({.onlyMean = true});
  EXPECT_EQ(changes.count(), 1);
  EXPECT_EQ(links.count(), 0) << "they were linked before";
  comparison.set({.linkedLayers = false});
  EXPECT_EQ(links.count(), 0);
  comparison.set({.linkedLayers = true});
  EXPECT_EQ(links.count(), 1);
  EXPECT_EQ(changes.count(), 3);
}

}  // namespace

namespace {

class ViewChoiceTest : public testing::Test {
 protected:
  void show(const std::string& layer) {
    OpenedModel model = test::inspectedSynthetic(1);
    model.layer = layer;
    models_.clear();
    models_.place(model, {}, true);
  }

  OpenModels models_;
  ViewChoice view_{models_};
};

TEST_F(ViewChoiceTest, ZoomKeepsThePointUnderThePointer) {
  view_.zoom(2, {0.25, 0.75});
  EXPECT_EQ(view_.visible(), QRectF(0.125, 0.375, 0.5, 0.5));
  view_.pan({9, -9});
  EXPECT_EQ(view_.visible(), QRectF(0.5, 0, 0.5, 0.5)) << "never beyond the picture";
  view_.zoom(1e6, {0.5, 0});
  EXPECT_EQ(view_.visible().size(), QSizeF(0.01, 0.01)) << "this is as close as can be";
  view_.zoom(1e-6, {0.5, 0.5});
  EXPECT_EQ(view_.visible(), QRectF(0, 0, 1, 1));
}

TEST_F(ViewChoiceTest, OnlyWhatIsNewIsTold) {
  QSignalSpy changes(&view_, &ViewChoice::changed);
  view_.set({});
  view_.setOverHeads({.mean = true, .largest = false});
  view_.setMap(ShownMap::Attention);
  view_.setOnlyHead({});
  view_.setVisible({-1, -1, 5, 5});
  EXPECT_EQ(changes.count(), 0);
  view_.setOverHeads({.mean = false, .largest = true});
  view_.setMap(ShownMap::Effective);
  view_.setOnlyHead(1);
  ViewSettings settings;
  settings.smooth = true;
  view_.set(settings);
  EXPECT_EQ(changes.count(), 4);
  EXPECT_TRUE(view_.settings().smooth);
}

TEST_F(ViewChoiceTest, AHeadThatALayerHasNotIsItsLast) {
  view_.setOnlyHead(2);
  EXPECT_EQ(view_.onlyHead(), 2) << "there is no layer that has fewer";
  show("block1.0.attn");
  EXPECT_EQ(view_.onlyHead(), 1);
  show("block2.0.attn");
  EXPECT_EQ(view_.onlyHead(), 2);
  EXPECT_EQ(view_.chosenHead(), 2);
}

TEST_F(ViewChoiceTest, HeadsFollowOneAnotherWithAllOfThemBetweenLastAndFirst) {
  view_.stepHead(1);
  EXPECT_FALSE(view_.onlyHead()) << "nothing is shown";
  show("block1.0.attn");
  std::vector<std::optional<int>> seen;
  for (int i = 0; i < 4; ++i) {
    view_.stepHead(1);
    seen.push_back(view_.onlyHead());
  }
  EXPECT_EQ(seen, (std::vector<std::optional<int>>{0, 1, std::nullopt, 0}));
  view_.stepHead(-1);
  EXPECT_FALSE(view_.onlyHead());
  view_.stepHead(-1);
  EXPECT_EQ(view_.onlyHead(), 1);
}

}  // namespace
}  // namespace softscope
