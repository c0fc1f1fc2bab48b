#include "core/Error.h"
#include "core/engine/Engine.h"
#include "core/network/Measurements.h"
#include "models/live/OpenLiveModel.h"
#include "tests/models/live/OneLayerRecording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A Python process that answers at once.
class AnsweringModels final : public LiveModels {
 public:
  LiveDescription describe(const std::string& name) const override {
    LiveDescription description;
    description.name = name;
    description.note = "a convolution stands beside the attention of 1 of 1 layers";
    description.layers = {{.name = "l", .mechanism = "recorded", .heads = 1}};
    return description;
  }
  LiveAnswer ask(const std::string&, const LiveQuestion& question,
                 const std::function<void()>&) override {
    LiveAnswer answer;
    if (!question.reach) {
      ++recorded;
      answer.recording = test::oneLayerRecording();
      answer.region = {0, 0, 6, 4};
      return answer;
    }
    asked = *question.reach;
    answer.reach = reach;
    return answer;
  }

  int recorded = 0;
  LiveReachQuestion asked;
  LiveReach reach{
      .height = 1, .width = 7, .values = {10, 0, 1, 2, 3, 4, 5}, .channels = 8, .directions = 8};
};

class LiveReachTest : public testing::Test {
 protected:
  Reach measured(ReachRequest request) {
    request.layers = {"l"};
    const InputTensor input{.height = 4, .width = 6, .values = std::vector<float>(3 * 4 * 6, 0.5f)};
    return measuringEngine().measureReach(*model_, input, request, {}).at(0);
  }

  std::shared_ptr<AnsweringModels> python_ = std::make_shared<AnsweringModels>();
  std::shared_ptr<const Model> model_ = openLiveModel("vit", python_);
};

TEST_F(LiveReachTest, TokensLieAsTheLayersQueriesDo) {
  const Reach reach = measured({.layers = {}, .x = 0.9, .y = 0.1, .from = ReachSource::Tokens});
  ASSERT_EQ(reach.obstacle, "");
  EXPECT_EQ(python_->asked.token, 3) << "one class token, and the last patch of the first row";
  EXPECT_FALSE(python_->asked.fromPixels);
  EXPECT_EQ(reach.patch, 2);
  EXPECT_EQ(reach.height, 2);
  EXPECT_EQ(reach.width, 3);
  EXPECT_THAT(reach.prefix, ElementsAre(10));
  EXPECT_THAT(reach.pixels, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(reach.channels, 8);
}

TEST_F(LiveReachTest, PixelsAreThoseOfTheNetworksInput) {
  python_->reach = {
      .height = 2, .width = 2, .values = {1, 2, 3, 4}, .channels = 8, .directions = 4};
  const Reach reach = measured(
      {.layers = {}, .prefixToken = 0, .behind = ReachedToken::BehindAttention, .directions = 4});
  ASSERT_EQ(reach.obstacle, "");
  EXPECT_TRUE(python_->asked.fromPixels);
  EXPECT_TRUE(python_->asked.behindAttention);
  EXPECT_EQ(python_->asked.token, 0);
  EXPECT_EQ(python_->asked.directions, 4);
  EXPECT_FALSE(reach.patch);
  EXPECT_THAT(reach.pixels, ElementsAre(1, 2, 3, 4));
}

TEST_F(LiveReachTest, AsksForTheLayersOnceForEachSizeOfPictures) {
  measured({});
  measured({.layers = {}, .x = 0.1});
  EXPECT_EQ(python_->recorded, 1);
}

TEST_F(LiveReachTest, SaysWhatItCannotLayOverThePicture) {
  python_->reach = {
      .height = 1, .width = 5, .values = {1, 2, 3, 4, 5}, .channels = 8, .directions = 8};
  EXPECT_THAT(measured({.layers = {}, .from = ReachSource::Tokens}).obstacle,
              HasSubstr("5 tokens before the block of l lie on no grid"));
  EXPECT_THAT(measured({.layers = {}, .prefixToken = 1}).obstacle,
              HasSubstr("1 tokens before the patches"));
}

TEST_F(LiveReachTest, TitlesSayWhatStandsBesideAttention) {
  EXPECT_THAT(model_->summary().mechanismNote(), HasSubstr("a convolution stands beside"));
}

}  // namespace
}  // namespace softscope
