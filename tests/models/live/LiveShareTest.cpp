#include "core/network/Measurements.h"
#include "models/live/OpenLiveModel.h"
#include "tests/models/live/OneLayerRecording.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace softscope {
namespace {

/// A Python process with a model of two heads, whose answer without the first is another.
class SilencingModels final : public LiveModels {
 public:
  LiveDescription describe(const std::string& name) const override {
    LiveDescription description;
    description.name = name;
    description.layers = {{.name = "l", .mechanism = "recorded", .heads = 2}};
    return description;
  }
  LiveAnswer ask(const std::string&, const LiveQuestion& question,
                 const std::function<void()>&) override {
    LiveAnswer answer;
    if (question.silenced.empty()) {
      answer.recording = test::oneLayerRecording();
      answer.region = {0, 0, 6, 4};
      return answer;
    }
    const std::vector<int>& heads = question.silenced.at("l");
    answer.logits = {1, heads.front() == 0 ? 2.0f : 0.0f};
    if (knowsNorms) {
      answer.added = LiveAddition{.attention = double(heads.size()),
                                  .projected = 0.5 * double(heads.size()),
                                  .residual = 10,
                                  .output = 2,
                                  .beside = {}};
      if (heads.size() == 2) answer.added->beside = 3;
    }
    return answer;
  }

  bool knowsNorms = true;
};

class LiveShareTest : public testing::Test {
 protected:
  std::shared_ptr<const ModelShare> measured(bool knockouts) {
    const InputTensor input{.height = 4, .width = 6, .values = std::vector<float>(3 * 4 * 6, 0.5f)};
    return measuringEngine().measureShare(*model_, input, {.knockouts = knockouts, .layers = {}},
                                          {});
  }

  std::shared_ptr<SilencingModels> python_ = std::make_shared<SilencingModels>();
  std::shared_ptr<const Model> model_ = openLiveModel("vit", python_);
};

TEST_F(LiveShareTest, KnockOutsTellHowMuchHeadsAdd) {
  const auto share = measured(true);
  EXPECT_TRUE(share->knockouts);
  EXPECT_TRUE(share->hasNorms);
  ASSERT_EQ(share->layers.size(), 1u);
  const LayerShare& layer = share->layers[0];
  EXPECT_EQ(layer.residualNorm, 10);
  EXPECT_EQ(layer.outputNorm, 2);
  EXPECT_EQ(layer.whole.attentionNorm, 2);
  EXPECT_EQ(layer.whole.besideNorm, 3);
  EXPECT_EQ(layer.residualShare(layer.whole), 0.1);
  ASSERT_EQ(layer.heads.size(), 2u);
  EXPECT_EQ(layer.residualShare(layer.heads[1]), 0.05);
  EXPECT_FALSE(layer.heads[1].besideNorm);
  ASSERT_TRUE(layer.heads[0].knockout && layer.heads[1].knockout);
  EXPECT_EQ(layer.heads[0].knockout->predictedClass, 1);
  EXPECT_EQ(layer.heads[1].knockout->predictedClass, 0);
}

TEST_F(LiveShareTest, NothingIsKnownOfNormsWhereNoneAreTold) {
  EXPECT_FALSE(measured(false)->hasNorms);
  python_->knowsNorms = false;
  const auto share = measured(true);
  EXPECT_TRUE(share->knockouts);
  EXPECT_FALSE(share->hasNorms);
}

}  // namespace
}  // namespace softscope
