#include "core/Error.h"
#include "core/network/NetworkModule.h"
#include "core/train/Evaluation.h"
#include "models/Trainable.h"
#include "tests/core/train/TinyDataSet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace softscope::test {
namespace {

using testing::ElementsAre;

/// Tells classes by the mean of the red channel: class 0 where it is dark.
class RedNetwork final : public NetworkModule {
 public:
  RedNetwork() { register_parameter("unused", torch::zeros({1})); }
  torch::Tensor forward(const torch::Tensor& pictures, Recorder*) override {
    const torch::Tensor red = pictures.select(1, 0).mean({1, 2});
    return at::stack({-red, red, red - 100}, 1);
  }
  void checkInputSize(int, int) const override {}
};

Picture plain(std::uint8_t red) {
  Picture picture{4, 4, std::vector<std::uint8_t>(48, 0), "plain"};
  for (std::size_t i = 0; i < 48; i += 3) picture.rgb[i] = red;
  return picture;
}

DataSet redAndDark() {
  DataSet data;
  data.classes = {"dark", "red"};
  data.pictures = {{plain(0), 0}, {plain(10), 0}, {plain(250), 0}, {plain(240), 1}};
  return data;
}

TEST(Evaluation, CountsByClassAndInAll) {
  RedNetwork network;
  const EvaluationResult result = evaluate(network, redAndDark(), {});
  EXPECT_EQ(result.right, 3);
  EXPECT_EQ(result.pictures, 4);
  EXPECT_EQ(result.classes[0].right, 2);
  EXPECT_EQ(result.classes[0].pictures, 3);
  EXPECT_EQ(result.classes[1].right, 1);
  EXPECT_DOUBLE_EQ(result.accuracy(), 0.75);
  EXPECT_DOUBLE_EQ(result.standardError(), std::sqrt(0.75 * 0.25 / 4));
}

TEST(Evaluation, FollowsTheModelsOrderOfClasses) {
  RedNetwork network;
  EvaluationOptions options;
  options.logitOfClass = {1, 0};
  EXPECT_EQ(evaluate(network, redAndDark(), options).right, 1);
}

TEST(Evaluation, MatchesClassesByNameThenByOrder) {
  EXPECT_THAT(matchClasses("data", {"cat", "dog"}, {"dog", "emu", "cat"}, 3), ElementsAre(2, 0));
  EXPECT_THAT(matchClasses("data", {"cat", "dog"}, {}, 2), ElementsAre(0, 1));
  EXPECT_THROW(matchClasses("data", {"cat", "dog"}, {}, 1000), DataSetError);
  EXPECT_THAT(matchClasses("data", {"n01", "n02"}, {"cat", "dog"}, 2), ElementsAre(0, 1));
  EXPECT_THROW(matchClasses("data", {"cat", "elk"}, {"cat", "dog"}, 2), DataSetError);
  EXPECT_THROW(matchClasses("data", {"cat", "elk"}, {"cat", "dog", "emu"}, 3), DataSetError);
}

TEST(Evaluation, RefusesASizeThatTheNetworkDoesNotTake) {
  const auto network = freshNetwork(findTrainable("soft_nano"), 2, 1);
  network->eval();
  EXPECT_THROW(evaluate(*network, redAndDark(), {}), InspectionError);
}

TEST(Evaluation, DoesNotDependOnThePicturesBeside) {
  for (const std::string name : {"soft_nano", "soft_norm_nano"}) {
    const auto network = freshNetwork(findTrainable(name), 3, 1);
    network->eval();
    const c10::InferenceMode inference;
    torch::manual_seed(1);
    // One picture far from the other, whose kernel would set the start of both.
    const torch::Tensor pictures =
        at::cat({torch::randn({1, 3, 64, 64}), 5 * torch::randn({1, 3, 64, 64})});
    const torch::Tensor together = network->forward(pictures, nullptr);
    for (std::int64_t i = 0; i < 2; ++i) {
      const torch::Tensor alone = network->forward(pictures.slice(0, i, i + 1), nullptr);
      EXPECT_TRUE(at::allclose(together.slice(0, i, i + 1), alone, 1e-5, 1e-6)) << name;
    }
  }
}

/// Answers with NaN.
class UndefinedNetwork final : public NetworkModule {
 public:
  UndefinedNetwork() { register_parameter("unused", torch::zeros({1})); }
  torch::Tensor forward(const torch::Tensor& pictures, Recorder*) override {
    return torch::full({pictures.size(0), 3}, std::nan(""));
  }
  void checkInputSize(int, int) const override {}
};

TEST(Evaluation, CountsNaNAsWrongAndSaysHowOften) {
  UndefinedNetwork network;
  const EvaluationResult result = evaluate(network, redAndDark(), {});
  EXPECT_EQ(result.right, 0);
  EXPECT_EQ(result.pictures, 4);
  EXPECT_EQ(result.undefined, 4);
  RedNetwork defined;
  EXPECT_EQ(evaluate(defined, redAndDark(), {}).undefined, 0);
}

}  // namespace
}  // namespace softscope::test
