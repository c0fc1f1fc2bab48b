#include "core/attention/CirculantMap.h"
#include "tests/widgets/workspace/OpenedSynthetic.h"
#include "widgets/workspace/AnalysedLayers.h"
#include "widgets/workspace/ComparedParts.h"
#include "widgets/workspace/OpenModels.h"

#include <QtTest/QSignalSpy>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace softscope {
namespace {

const InputSize otherSize{InputSize::Kind::Whole, 96, 96};

std::vector<int> idsOf(const OpenModels& models) {
  std::vector<int> ids;
  for (const OpenedModel& model : models.all()) ids.push_back(model.id);
  return ids;
}

class OpenModelsTest : public testing::Test {
 protected:
  OpenModelsTest() {
    for (const int id : {1, 2, 3}) models_.place(test::inspectedSynthetic(id), {}, id == 2);
  }

  OpenModels models_;
};

TEST(NoOpenModels, NothingIsCurrentOrShown) {
  const OpenModels models;
  EXPECT_EQ(models.current(), nullptr);
  EXPECT_EQ(models.shownLayer(), nullptr);
  EXPECT_FALSE(models.anyIsShown());
  EXPECT_EQ(models.find(0), nullptr);
}

TEST_F(OpenModelsTest, OnlyThoseThatAreMeantToBecomeCurrent) {
  EXPECT_EQ(idsOf(models_), (std::vector{1, 2, 3}));
  EXPECT_EQ(models_.current()->id, 2);
  EXPECT_EQ(models_.shownLayer()->name, "block1.0.attn");
}

TEST_F(OpenModelsTest, AModelTakesThePlaceOfAnotherAndLeavesTheOneInFront) {
  QSignalSpy changes(&models_, &OpenModels::changed);
  models_.place(test::inspectedSynthetic(4), 1, true);
  EXPECT_EQ(idsOf(models_), (std::vector{4, 2, 3}));
  EXPECT_EQ(models_.current()->id, 2);
  EXPECT_EQ(changes.count(), 1);
  models_.place(test::inspectedSynthetic(5), 77, false);
  EXPECT_EQ(idsOf(models_), (std::vector{4, 2, 3, 5})) << "what it was to replace is gone";
}

TEST_F(OpenModelsTest, ClosingKeepsTheCurrentOneCurrent) {
  models_.remove(0);
  EXPECT_EQ(models_.current()->id, 2);
  models_.remove(0);
  EXPECT_EQ(models_.current()->id, 3) << "the next one takes the place of the current one";
  models_.remove(5);
  EXPECT_EQ(idsOf(models_), std::vector{3});
  models_.remove(0);
  EXPECT_EQ(models_.current(), nullptr);
}

TEST_F(OpenModelsTest, OnlyAModelThatIsThereBecomesCurrent) {
  QSignalSpy changes(&models_, &OpenModels::changed);
  models_.setCurrent(3);
  models_.setCurrent(-1);
  models_.setCurrent(1);
  EXPECT_EQ(changes.count(), 0);
  models_.setCurrent(2);
  EXPECT_EQ(changes.count(), 1);
  EXPECT_EQ(models_.current()->id, 3);
}

TEST_F(OpenModelsTest, AnotherSizeWaitsForTheNextRunAndIsTakenBack) {
  models_.wantSize(2, otherSize);
  EXPECT_EQ(models_.current()->inputSize, InputSize());
  EXPECT_EQ(models_.current()->wantedSize(), otherSize);
  models_.wantSize(2, {});
  EXPECT_FALSE(models_.current()->nextSize);

  OpenedModel unseen = test::openedSynthetic(2);
  unseen.failure = QStringLiteral("too large");
  models_.update(unseen);
  models_.wantSize(2, otherSize);
  EXPECT_EQ(models_.current()->inputSize, otherSize) << "nothing was seen at another";
  EXPECT_TRUE(models_.current()->failure.isEmpty()) << "it is worth another try";
}

TEST_F(OpenModelsTest, AFailureLeavesWhatWasSeenBefore) {
  models_.wantSize(2, otherSize);
  models_.noteFailure(2, QStringLiteral("too large"));
  EXPECT_TRUE(models_.current()->failure.isEmpty());
  EXPECT_FALSE(models_.current()->nextSize);
  ASSERT_TRUE(models_.shownLayer());

  models_.update(test::openedSynthetic(2));
  models_.noteFailure(2, QStringLiteral("too large"));
  EXPECT_EQ(models_.current()->failure, QStringLiteral("too large"));
  models_.forgetFailures();
  EXPECT_TRUE(models_.current()->failure.isEmpty());
}

TEST_F(OpenModelsTest, ThoseThatNoLongerWaitSayWhy) {
  OpenedModel failed = test::openedSynthetic(1);
  failed.failure = QStringLiteral("too large");
  models_.update(failed);
  models_.update(test::openedSynthetic(2));
  models_.wantSize(3, otherSize);
  models_.stopWaiting(QStringLiteral("cancelled"));
  EXPECT_EQ(models_.all()[0].failure, QStringLiteral("too large"));
  EXPECT_EQ(models_.all()[1].failure, QStringLiteral("cancelled"));
  EXPECT_TRUE(models_.all()[2].failure.isEmpty());
  EXPECT_FALSE(models_.all()[2].nextSize);
}

TEST_F(OpenModelsTest, AnotherPictureIsSeenAtTheSizeThatIsWanted) {
  models_.wantSize(2, otherSize);
  QSignalSpy inspections(&models_, &OpenModels::inspectionChanged);
  models_.forgetInspections();
  EXPECT_EQ(inspections.count(), 1);
  EXPECT_FALSE(models_.anyIsShown());
  EXPECT_EQ(models_.current()->inputSize, otherSize);
  EXPECT_FALSE(models_.current()->nextSize);
}

/// An inspected model whose layer has a kernel of its own for each of three channels.
OpenedModel inspectedChannels(int id) {
  OpenedModel opened = test::inspectedSynthetic(id);
  auto inspection = std::make_shared<Inspection>(*opened.inspection);
  AttentionDescription description{.mechanism = "circulant", .heads = 1, .queries = 4, .keys = 4};
  description.queryGrid = description.keyGrid = TokenGrid{2, 2};
  std::vector<Matrix> kernels(3, Matrix::Constant(2, 2, 0.25f));
  inspection->layers.front().name = opened.layer;
  inspection->layers.front().attention =
      std::make_shared<CirculantMap>(description, MatrixStack(std::move(kernels)));
  opened.setInspection(inspection);
  return opened;
}

std::optional<ChosenChannel> shownChannel(const OpenModels& models) {
  return models.shownLayer()->attention->description().channel;
}

TEST_F(OpenModelsTest, AChosenChannelIsShownOfEveryModelThatHasIt) {
  models_.place(inspectedChannels(4), {}, true);
  QSignalSpy changed(&models_, &OpenModels::inspectionChanged);
  models_.showChannel(2);
  EXPECT_EQ(shownChannel(models_), (ChosenChannel{2, 3}));
  EXPECT_EQ(changed.size(), 1);
  // The other analyses keep the mean.
  const auto layer = analysedLayer(models_);
  ASSERT_TRUE(layer);
  EXPECT_EQ(layer->attention().meanOfChannels, 3);
  EXPECT_EQ(analysedLayers(models_, {}, true).front().attention().channel, (ChosenChannel{2, 3}));
  models_.showChannel({});
  EXPECT_EQ(shownChannel(models_), std::nullopt);
}

TEST_F(OpenModelsTest, ModelsOpenedLaterShowTheChannelToo) {
  models_.showChannel(1);
  models_.place(inspectedChannels(4), {}, true);
  EXPECT_EQ(shownChannel(models_), (ChosenChannel{1, 3}));
  OpenedModel again = *models_.current();
  again.setInspection(again.ofAllChannels);
  models_.update(again);
  EXPECT_EQ(shownChannel(models_), (ChosenChannel{1, 3}));
}

TEST_F(OpenModelsTest, NothingChangesWhereNoLayerHasChannels) {
  QSignalSpy changed(&models_, &OpenModels::inspectionChanged);
  const auto before = models_.current()->inspection;
  models_.showChannel(1);
  EXPECT_EQ(models_.current()->inspection, before);
  EXPECT_TRUE(changed.empty());
}

TEST_F(OpenModelsTest, ASilencedModelIsLeftOutWhereAllAreShown) {
  models_.silence(1, true);
  EXPECT_EQ(models_.heard(), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(models_.current()->id, 2) << "and stays in front";
  EXPECT_EQ(analysedLayers(models_, {.allLayers = false, .allModels = true}).size(), 2u);
  EXPECT_EQ(analysedLayers(models_, {}).front().inspection, models_.all()[1].inspection);
  EXPECT_EQ(comparedParts(models_).size(), 2u);
  models_.silence(1, false);
  EXPECT_EQ(models_.heard().size(), 3u);
}

TEST_F(OpenModelsTest, IfAllAreSilencedNoneIsLeftOut) {
  for (const int index : {0, 1, 2}) models_.silence(index, true);
  EXPECT_EQ(models_.heard().size(), 3u);
  EXPECT_FALSE(models_.isLeftOut(models_.all()[0]));
}

TEST_F(OpenModelsTest, CollectedHeadsAreComparedInPlaceOfLayers) {
  QSignalSpy changes(&models_, &OpenModels::changed);
  models_.collect(2, {"block2.0.attn", 2});
  models_.collect(0, {"block1.0.attn", 1});
  models_.collect(0, {"blocks.2.attn", 0});
  EXPECT_EQ(changes.count(), 3);
  auto parts = comparedParts(models_);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].model, 0u);
  EXPECT_EQ(parts[0].layer, models_.all()[0].inspection->find("block1.0.attn"));
  EXPECT_EQ(parts[0].head, 1);
  EXPECT_EQ(parts[2].model, 2u);
  EXPECT_EQ(parts[2].head, 2);
  models_.silence(0, true);
  EXPECT_EQ(comparedParts(models_).size(), 1u);
  models_.silence(0, false);
  models_.collect(0, {"block1.0.attn", 1});
  EXPECT_EQ(comparedParts(models_).size(), 2u) << "a head collected again is taken out";
  models_.takeAllOut();
  parts = comparedParts(models_);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].layer, models_.all()[0].shownLayer());
  EXPECT_FALSE(parts[0].head);
}

TEST_F(OpenModelsTest, HeadsThatAModelDoesNotHaveAreNotCompared) {
  models_.collect(0, {"block1.0.attn", 2});
  models_.collect(0, {"gone", 0});
  for (const ComparedPart& part : comparedParts(models_)) EXPECT_FALSE(part.head);
  models_.place(test::openedSynthetic(9), {}, false);
  models_.collect(3, {"block2.0.attn", 0});
  const auto parts = comparedParts(models_);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_FALSE(parts[0].layer) << "nothing to show before the model has seen the picture";
}

}  // namespace
}  // namespace softscope
