#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/model/PixelNorm.h"
#include "core/network/MapBuilder.h"
#include "core/network/NetworkModule.h"
#include "models/OpenModel.h"
#include "models/Trainable.h"
#include "models/identify/Parameters.h"
#include "models/layers/Initialisation.h"
#include "models/layers/Layers.h"
#include "tests/core/ErrorMessage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace softscope::test {
namespace {

TEST(Trainable, NamesAreDistinctAndFound) {
  std::set<std::string> names;
  for (const TrainableArchitecture& architecture : trainableArchitectures()) {
    EXPECT_TRUE(names.insert(architecture.name).second) << architecture.name;
    EXPECT_EQ(&findTrainable(architecture.name), &architecture);
    EXPECT_GE(architecture.recipe.resize, architecture.recipe.size);
  }
  try {
    findTrainable("alexnet");
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("soft_norm_nano"));
  }
}

/// Every architecture gives finite logits and a gradient for each of its parameters.
TEST(Trainable, EveryArchitectureLearns) {
  for (const TrainableArchitecture& architecture : trainableArchitectures()) {
    const auto network = freshNetwork(architecture, 3, 1);
    EXPECT_TRUE(network->is_training());
    torch::manual_seed(1);
    const int side = architecture.recipe.size / 2;
    const torch::Tensor logits = network->forward(torch::randn({2, 3, side, side}), nullptr);
    ASSERT_EQ(logits.sizes(), (std::vector<std::int64_t>{2, 3})) << architecture.name;
    EXPECT_TRUE(logits.isfinite().all().item<bool>()) << architecture.name;
    logits.square().sum().backward();
    for (const auto& item : network->named_parameters()) {
      const torch::Tensor& gradient = item.value().grad();
      EXPECT_TRUE(gradient.defined() && gradient.isfinite().all().item<bool>())
          << architecture.name << " " << item.key();
    }
  }
}

/// A file as a training of that architecture writes it, its name and that of the architecture
/// aside.
Checkpoint fileOf(const TrainableArchitecture& architecture) {
  Checkpoint checkpoint;
  checkpoint.path = "checkpoint.safetensors";
  checkpoint.metadata = architecture.metadata;
  checkpoint.metadata["architecture"] = architecture.name;
  checkpoint.metadata["mechanism"] = architecture.mechanism;
  checkpoint.metadata["mean"] = channelsText(architecture.transform.mean);
  checkpoint.metadata["std"] = channelsText(architecture.transform.deviation);
  forEachTensor(*architecture.define(3), [&](const std::string& name, const torch::Tensor& tensor) {
    checkpoint.state.insert(name, tensor.detach());
  });
  return checkpoint;
}

ArchitectureSizes otherSizes(const std::string& architecture) {
  if (architecture == "preresnet20") return {{24, 40, 56}, {}};
  if (architecture.starts_with("preresnet")) return {{24, 40, 56}, {8}};
  if (architecture.starts_with("sima_xcit")) return {{72}, {9}};
  return {{48, 96, 80, 144}, {4, 3, 2, 12}};
}

TEST(Trainable, EveryArchitectureTakesOtherSizesAndItsFilesTellThem) {
  for (const TrainableArchitecture& architecture : trainableArchitectures()) {
    SCOPED_TRACE(architecture.name);
    const ArchitectureSizes sizes = otherSizes(architecture.name);
    const TrainableArchitecture resized = architecture.resized(sizes);
    EXPECT_EQ(resized.name, architecture.name);
    const ModelSummary summary = identifyModel(fileOf(resized));
    EXPECT_EQ(summary.mechanism, architecture.mechanism);
    EXPECT_EQ(summary.heads, sizes.heads);
    EXPECT_EQ(summary.confidence(), 1);
    EXPECT_THAT(summary.missing, testing::IsEmpty());
    EXPECT_THAT(summary.unexpected, testing::IsEmpty());
    EXPECT_THAT(summary.wrongShape, testing::IsEmpty());
    const int side = architecture.recipe.size / 2;
    const auto network = freshNetwork(resized, 3, 1);
    EXPECT_TRUE(
        network->forward(torch::randn({2, 3, side, side}), nullptr).isfinite().all().item<bool>());
    EXPECT_EQ(countParameters(*freshNetwork(architecture.resized({}), 3, 1)),
              countParameters(*freshNetwork(architecture, 3, 1)));
  }
}

TEST(Trainable, SizesThatDoNotFitAreRefusedInOneLine) {
  const auto refusal = [](const std::string& architecture, const ArchitectureSizes& sizes) {
    return test::messageOf<ModelError>([&] { findTrainable(architecture).resized(sizes); });
  };
  EXPECT_EQ(refusal("soft_nano", {{32, 64}, {}}),
            "--width takes 4 numbers for this architecture, one for each stage, not 2");
  EXPECT_EQ(refusal("sima_xcit_nano", {{}, {2, 4}}),
            "--heads takes one number for this architecture, not 2");
  EXPECT_EQ(refusal("pyramid_softmax_nano", {{}, {1, 2, 3, 5}}),
            "the 128 channels of stage 3 do not divide among 3 heads; choose a --width and --heads "
            "that do");
  EXPECT_EQ(refusal("sima_xcit_nano", {{130}, {5}}),
            "the patch embedding doubles its channels up to --width, which 4 must divide; 130 is "
            "no such number");
  EXPECT_EQ(refusal("preresnet20_nl", {{16, 30, 64}, {}}),
            "the 30 channels of stage 2 do not divide among 4 heads; choose a --width and --heads "
            "that do");
  EXPECT_EQ(refusal("preresnet20", {{}, {4}}),
            "a network without non-local blocks has no heads; leave out --heads");
}

TEST(Trainable, NanoSoftIsOfThePublishedRecipe) {
  const auto network = freshNetwork(findTrainable("soft_norm_nano"), 10, 0);
  // The count that the authors' code has for these sizes.
  EXPECT_EQ(countParameters(*network), 1861227);
}

/// The sum of a row of every head, layer by layer.
class RowSums final : public Recorder {
 public:
  void record(AttentionRecord record) override {
    const LayerInspection layer = buildLayerInspection(record);
    const AttentionDescription& description = layer.attention->description();
    if (description.mechanism != "elu") return;
    for (int head = 0; head < description.heads; ++head) {
      sums.push_back(layer.attention->row(head, description.queries / 2).sum());
    }
  }

  std::vector<float> sums;
};

/// Unnormalised: from biases of 0 they would sum to sqrt(n) d, 1024 in the first stage.
TEST(Trainable, EluStartsWithRowsThatSumToAboutOne) {
  const auto network = freshNetwork(findTrainable("pyramid_elu_nano"), 10, 1);
  network->eval();
  const torch::NoGradGuard noGradient;
  torch::manual_seed(1);
  RowSums rows;
  network->forward(torch::randn({1, 3, 128, 128}), &rows);
  // One block of one head, two of two, three of four.
  ASSERT_EQ(rows.sums.size(), 17u);
  EXPECT_THAT(rows.sums, testing::Each(testing::AllOf(testing::Gt(0.3f), testing::Lt(2.0f))));
}

TEST(Initialisation, FollowsTheSeed) {
  const auto valueOf = [](std::uint64_t seed) {
    return freshNetwork(findTrainable("soft_nano"), 2, seed)
        ->named_parameters()["head.weight"]
        .sum()
        .item<double>();
  };
  EXPECT_EQ(valueOf(1), valueOf(1));
  EXPECT_NE(valueOf(1), valueOf(2));
}

TEST(Initialisation, FillsEachKindOfLayerAsPublished) {
  Group network;
  const Linear linear = network->add("linear", Linear(200, 100));
  const Convolution convolution = network->add(
      "convolution", Convolution(ConvolutionOptions{.inputs = 32, .outputs = 64, .kernel = 3}));
  const BatchNorm norm = network->add("norm", BatchNorm(3));
  initialise(*network, 1);
  EXPECT_NEAR(linear->weight.std().item<double>(), 0.02, 0.001);
  EXPECT_EQ(linear->bias.abs().sum().item<double>(), 0);
  const double bound = 1 / std::sqrt(288.0);
  EXPECT_LE(convolution->weight.abs().max().item<double>(), bound);
  EXPECT_NEAR(convolution->weight.std().item<double>(), bound / std::sqrt(3.0), 0.03 * bound);
  EXPECT_EQ(norm->runningVariance.sum().item<double>(), 3);
}

TEST(DropPath, DropsWholeBranchesOfPicturesAndKeepsTheMean) {
  DropPath drop;
  drop->rate = 0.25;
  torch::manual_seed(3);
  const torch::Tensor ones = torch::ones({4000, 2, 3});
  const torch::Tensor dropped = drop->forward(ones);
  const torch::Tensor perPicture = dropped.flatten(1);
  EXPECT_TRUE(at::equal(std::get<0>(perPicture.max(1)), std::get<0>(perPicture.min(1))));
  EXPECT_NEAR(dropped.mean().item<double>(), 1, 0.05);
  EXPECT_NEAR((dropped == 0).to(torch::kFloat64).mean().item<double>(), 0.25, 0.05);
  drop->eval();
  EXPECT_TRUE(drop->forward(ones).is_same(ones));
}

TEST(DropPath, RatesRiseFromTheFirstToTheLast) {
  Group network;
  const DropPath first = network->add("first", DropPath());
  const DropPath second = network->add("second", DropPath());
  const DropPath third = network->add("third", DropPath());
  setDropPathRates(*network, 0.2);
  EXPECT_DOUBLE_EQ(first->rate, 0);
  EXPECT_DOUBLE_EQ(second->rate, 0.1);
  EXPECT_DOUBLE_EQ(third->rate, 0.2);
}

}  // namespace
}  // namespace softscope::test
