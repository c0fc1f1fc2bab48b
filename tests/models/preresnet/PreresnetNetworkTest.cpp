#include "core/checkpoint/Checkpoint.h"
#include "core/network/Inspector.h"
#include "models/OpenModel.h"
#include "models/Trainable.h"
#include "models/identify/Families.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace softscope {
namespace {

using ::testing::ElementsAre;

std::shared_ptr<NetworkModule> fresh(const std::string& name, std::uint64_t seed = 3) {
  return freshNetwork(findTrainable(name), 10, seed);
}

std::vector<std::string> trainedNames() {
  std::vector<std::string> names;
  for (const TrainableArchitecture& architecture : preresnetFamily().trainable()) {
    names.push_back(architecture.name);
  }
  return names;
}

class PreresnetTrainingTest : public ::testing::TestWithParam<std::string> {
 protected:
  PreresnetTrainingTest() { at::manual_seed(3); }
};

torch::Tensor loss(NetworkModule& network, const torch::Tensor& pictures) {
  const torch::Tensor logits = network.forward(pictures, nullptr);
  return -logits.log_softmax(1).select(1, 3).mean();
}

/// One step of gradient descent; every gradient must be finite.
void step(NetworkModule& network, const torch::Tensor& pictures) {
  network.zero_grad();
  loss(network, pictures).backward();
  const torch::NoGradGuard noGradient;
  for (const auto& parameter : network.named_parameters()) {
    ASSERT_TRUE(parameter.value().grad().defined()) << parameter.key();
    ASSERT_TRUE(parameter.value().grad().isfinite().all().item<bool>()) << parameter.key();
    parameter.value().sub_(parameter.value().grad(), 0.05);
  }
}

TEST_P(PreresnetTrainingTest, EveryParameterLearnsAndTheLossFalls) {
  const auto network = fresh(GetParam());
  network->train();
  const torch::Tensor pictures = at::randn({4, 3, 16, 16});
  const double before = loss(*network, pictures).item<double>();
  for (int i = 0; i < 3; ++i) step(*network, pictures);
  for (const auto& parameter : network->named_parameters()) {
    // What a norm subtracts again, and what a softmax over keys divides out, learns nothing.
    const bool idle = parameter.key().find(".W.0.bias") != std::string::npos ||
                      parameter.key().find(".phi.bias") != std::string::npos;
    if (idle) continue;
    EXPECT_GT(parameter.value().grad().abs().max().item<float>(), 0) << parameter.key();
  }
  EXPECT_LT(loss(*network, pictures).item<double>(), before);
}

TEST_P(PreresnetTrainingTest, RunningStatisticsFollowBatchesInTrainingOnly) {
  const auto network = fresh(GetParam());
  const std::string ofBlock = "stage2.nonlocal0.W.1.running_mean";
  const std::string buffer =
      network->named_buffers().contains(ofBlock) ? ofBlock : "stage2.block0.norm1.running_mean";
  const auto mean = [&] { return network->named_buffers()[buffer].clone(); };
  const torch::Tensor fresh = mean();
  EXPECT_EQ(fresh.abs().max().item<float>(), 0);
  const torch::Tensor pictures = at::randn({4, 3, 16, 16});
  network->eval();
  network->forward(pictures, nullptr);
  EXPECT_TRUE(at::equal(mean(), fresh));
  network->train();
  network->forward(pictures, nullptr);
  EXPECT_FALSE(at::equal(mean(), fresh));
}

TEST_P(PreresnetTrainingTest, APictureDoesNotDependOnItsBatch) {
  const auto network = fresh(GetParam());
  const torch::Tensor pictures = at::randn({2, 3, 24, 40});
  network->train();
  for (int i = 0; i < 2; ++i) step(*network, pictures);
  network->eval();
  const torch::NoGradGuard noGradient;
  const torch::Tensor both = network->forward(pictures, nullptr);
  for (const int i : {0, 1}) {
    const torch::Tensor single = network->forward(pictures.slice(0, i, i + 1), nullptr);
    EXPECT_LT((both[i] - single[0]).abs().max().item<float>(),
              1e-5 * both.abs().max().item<float>());
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, PreresnetTrainingTest, ::testing::ValuesIn(trainedNames()),
                         [](const auto& test) { return test.param; });

TEST(TrainablePreresnets, AreTheFormsThatThePaperCompares) {
  EXPECT_THAT(trainedNames(),
              ElementsAre("preresnet20", "preresnet20_nl", "preresnet20_nl_magnitude",
                          "preresnet20_nl_direction", "preresnet20_nl_scaled",
                          "preresnet20_nl_scaled_magnitude", "preresnet20_nl_scaled_direction"));
}

TEST(TrainablePreresnets, OpenAsWhatTheyWereTrainedAs) {
  for (const TrainableArchitecture& architecture : preresnetFamily().trainable()) {
    SCOPED_TRACE(architecture.name);
    Checkpoint checkpoint;
    checkpoint.metadata = architecture.metadata;
    checkpoint.metadata["architecture"] = architecture.name;
    for (const auto& item : architecture.define(7)->named_parameters()) {
      checkpoint.state.insert(item.key(), item.value());
    }
    const ModelSummary summary = identifyModel(checkpoint);
    EXPECT_EQ(summary.variant, architecture.name);
    EXPECT_EQ(summary.mechanism, architecture.mechanism);
    EXPECT_EQ(summary.classes, 7);
    EXPECT_EQ(summary.confidence(), 1);
    EXPECT_FALSE(summary.counterfactual);
    EXPECT_EQ(summary.transform, architecture.transform);
  }
}

TEST(TrainablePreresnets, BeginWithNonLocalBlocksThatChangeNothing) {
  const auto softmax = fresh("preresnet20_nl");
  const auto magnitude = fresh("preresnet20_nl_magnitude");
  softmax->eval();
  magnitude->eval();
  const torch::Tensor picture = at::randn({1, 3, 16, 16});
  EXPECT_TRUE(at::equal(softmax->forward(picture, nullptr), magnitude->forward(picture, nullptr)));
}

TEST(TrainablePreresnets, StartWithTheDeviationsThatThePaperFoundBest) {
  const auto deviation = [](const char* name, const char* weight) {
    return fresh(name)->named_parameters()[weight].std().item<double>();
  };
  const char* theta = "stage2.nonlocal1.theta.weight";
  EXPECT_NEAR(deviation("preresnet20_nl_direction", theta), 0.01, 0.001);
  EXPECT_NEAR(deviation("preresnet20_nl_scaled", theta), std::sqrt(2.0 / 32), 0.02);
  EXPECT_NEAR(deviation("preresnet20_nl", "stage3.block1.conv2.weight"), std::sqrt(2.0 / 576),
              1e-3);
}

TEST(TrainablePreresnets, AreDrawnByTheirSeed) {
  const auto weight = [](std::uint64_t seed) {
    return fresh("preresnet20_nl_scaled", seed)->named_parameters()["stage2.nonlocal0.g.weight"];
  };
  EXPECT_TRUE(at::equal(weight(1), weight(1)));
  EXPECT_FALSE(at::equal(weight(1), weight(2)));
}

/// The network as the window opens it.
Model modelOf(const std::string& variant) {
  const auto network = fresh(variant);
  network->eval();
  return {ModelSummary{}, network};
}

TEST(PreresnetNetwork, TakesAnySize) {
  const Model model = modelOf("preresnet20_nl");
  const auto grid = [&](int height, int width) {
    const InputTensor input{height, width,
                            std::vector<float>(static_cast<std::size_t>(3 * height * width))};
    const auto inspection = inspect(model, input);
    EXPECT_EQ(inspection->logits.size(), 10u);
    EXPECT_EQ(inspection->layers.size(), 3u);
    return *inspection->layers.front().attention->description().queryGrid;
  };
  EXPECT_EQ(grid(32, 32), (TokenGrid{16, 16}));
  EXPECT_EQ(grid(1, 1), (TokenGrid{1, 1}));
  EXPECT_EQ(grid(37, 70), (TokenGrid{19, 35}));
}

}  // namespace
}  // namespace softscope
