#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/OpenedSynthetic.h"
#include "widgets/workspace/AnalysedLayers.h"
#include "widgets/workspace/OpenModels.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

class AnalysedLayersTest : public testing::Test {
 protected:
  AnalysedLayersTest() {
    models_.place(test::inspectedSynthetic(1, "/here/soft.pth"), {}, true);
    models_.place(test::openedSynthetic(2, "unseen.pth"), {}, false);
    OpenedModel other = test::inspectedSynthetic(3, "/there/soft.pth");
    other.layer = "blocks.2.attn";
    models_.place(other, {}, false);
  }

  OpenModels models_;
};

TEST_F(AnalysedLayersTest, AreTheChosenOneOfTheCurrentModelByDefault) {
  const std::vector<AnalysedLayer> layers = analysedLayers(models_, {});
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(layers[0].model, "soft");
  EXPECT_EQ(layers[0].layer().name, "block1.0.attn");
  EXPECT_EQ(analysedLayer(models_), layers[0]);
  models_.setCurrent(1);
  EXPECT_FALSE(analysedLayer(models_)) << "it has seen nothing";
}

TEST_F(AnalysedLayersTest, ModelsOfOneNameAreNumbered) {
  const std::vector<AnalysedLayer> layers =
      analysedLayers(models_, {.allLayers = false, .allModels = true});
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_EQ(layers[0].model, "soft");
  EXPECT_EQ(layers[1].model, "soft_2");
  EXPECT_EQ(layers[1].layer().name, "blocks.2.attn");
}

TEST_F(AnalysedLayersTest, AllLayersOfAllModelsThatHaveSeenThePicture) {
  const std::vector<AnalysedLayer> layers =
      analysedLayers(models_, {.allLayers = true, .allModels = true});
  ASSERT_EQ(layers.size(), 6u);
  EXPECT_EQ(layers[3].layer().name, "block1.0.attn");
  EXPECT_EQ(layers[3].model, "soft_2");
}

TEST_F(AnalysedLayersTest, BelongToTheirModelWhileItShowsAChannel) {
  OpenedModel model = *models_.current();
  model.inspection = std::make_shared<const Inspection>(*model.ofAllChannels);
  models_.update(model);
  for (const bool ofChannel : {false, true}) {
    const std::vector<AnalysedLayer> layers =
        analysedLayers(models_, {.allLayers = false, .allModels = true}, ofChannel);
    ASSERT_EQ(layers.size(), 2u);
    EXPECT_EQ(openedModelOf(models_, layers[0]), &models_.all()[0]);
    EXPECT_EQ(openedModelOf(models_, layers[1]), &models_.all()[2]);
  }
  const AnalysedLayer closed = *analysedLayer(models_);
  models_.remove(0);
  EXPECT_EQ(openedModelOf(models_, closed), nullptr);
}

TEST_F(AnalysedLayersTest, AMechanismThatWasNotTrainedIsNoted) {
  OpenedModel model = test::openedSynthetic(1);
  ModelSummary summary = model.summary();
  summary.counterfactual = true;
  model.model = std::make_shared<Model>(summary, nullptr);
  const Picture picture = readPicture(test::writeTestPicture(128, 64));
  models_.update(inspected(model, picture, test::inspectSynthetic, {}, {}));
  EXPECT_EQ(analysedLayer(models_)->mechanismNote, "not what was trained");
}

}  // namespace
}  // namespace softscope
