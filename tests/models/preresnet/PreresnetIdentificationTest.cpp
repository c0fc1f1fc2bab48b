#include "core/Error.h"
#include "models/OpenModel.h"
#include "models/preresnet/PreresnetConfiguration.h"
#include "tests/core/ErrorMessage.h"
#include "tests/models/identify/PublishedLayouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace softscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The network's names and shapes, in a file whose name tells nothing.
Checkpoint checkpointOf(const PreresnetConfiguration& configuration) {
  PreresnetNetwork network(configuration);
  Checkpoint checkpoint;
  checkpoint.path = "checkpoint.pth";
  for (const auto& parameter : network.named_parameters()) {
    checkpoint.state.insert(parameter.key(), parameter.value());
  }
  for (const auto& buffer : network.named_buffers()) {
    checkpoint.state.insert(buffer.key(), buffer.value());
  }
  return checkpoint;
}

Checkpoint checkpointOf(const std::string& variant, int classes = 10) {
  PreresnetConfiguration configuration = publishedPreresnet(variant).value();
  configuration.classes = classes;
  return checkpointOf(configuration);
}

struct Network {
  const char* variant;
  int classes;
  std::int64_t parameters;
  std::vector<std::string> layers;
};

class PreresnetNetworksTest : public ::testing::TestWithParam<Network> {};

TEST_P(PreresnetNetworksTest, AreIdentifiedFromNamesAndShapes) {
  const Network& network = GetParam();
  const ModelSummary summary =
      identifyModel(checkpointOf(network.variant, network.classes), ModelRequest{});
  EXPECT_EQ(summary.family, "preresnet_nl");
  EXPECT_EQ(summary.variant, network.variant);
  EXPECT_EQ(summary.mechanism, "nonlocal");
  EXPECT_EQ(summary.alternatives, nonLocalMechanisms());
  EXPECT_EQ(summary.confidence(), 0.5);
  EXPECT_EQ(summary.parameters, network.parameters);
  EXPECT_THAT(summary.heads, ElementsAre(4));
  EXPECT_EQ(summary.classes, network.classes);
  std::vector<std::string> layers;
  for (const LayerSummary& layer : summary.layers) {
    layers.push_back(layer.name);
    EXPECT_EQ(layer.mechanism, "nonlocal");
    EXPECT_EQ(layer.stage, 2);
    EXPECT_EQ(layer.heads, 4);
  }
  EXPECT_EQ(layers, network.layers);
  const int side = std::string(network.variant) == "preresnet50_nl" ? 64 : 32;
  EXPECT_EQ(summary.transform.height, side);
  EXPECT_EQ(summary.transform.width, side);
  EXPECT_EQ(summary.transform.cropFraction, 1);
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_THAT(summary.unexpected, IsEmpty());
  EXPECT_THAT(summary.wrongShape, IsEmpty());
}

TEST(PreresnetIdentification, WithoutNonLocalBlocksThereIsNoAttention) {
  for (const auto& [variant, parameters] :
       {std::pair{"preresnet20", 272282}, std::pair{"wrn28_10", 36479194}}) {
    Checkpoint checkpoint = checkpointOf(variant);
    const ModelSummary summary = identifyModel(checkpoint);
    EXPECT_EQ(summary.variant, variant);
    EXPECT_EQ(summary.mechanism, "none");
    EXPECT_EQ(summary.parameters, parameters);
    EXPECT_EQ(summary.classes, 10);
    EXPECT_EQ(summary.transform.height, 32);
    EXPECT_EQ(summary.confidence(), 1);
    EXPECT_THAT(summary.layers, IsEmpty());
    EXPECT_THAT(summary.heads, IsEmpty());
    EXPECT_THAT(summary.missing, IsEmpty());
    EXPECT_THAT(summary.unexpected, IsEmpty());
    EXPECT_THAT(summary.reason, HasSubstr("it has no attention"));
  }
}

TEST(PreresnetIdentification, AttentionIsNotAskedOfANetworkThatHasNone) {
  const auto refusal = [](const ModelRequest& request, const std::string& trained) {
    Checkpoint checkpoint = checkpointOf("preresnet20");
    checkpoint.metadata["mechanism"] = trained;
    return test::messageOf<ModelError>([&] { identifyModel(checkpoint, request); });
  };
  EXPECT_EQ(refusal({}, "none"), "");
  EXPECT_THAT(refusal({.attention = "nonlocal"}, "none"), HasSubstr("leave out --attention"));
  EXPECT_THAT(refusal({.heads = 4}, "none"), HasSubstr("leave out --heads"));
  EXPECT_THAT(refusal({.landmarks = {LandmarkSource::First}}, "none"),
              HasSubstr("no landmarks to choose"));
  EXPECT_THAT(refusal({}, "nonlocal_scaled"), HasSubstr("has no non-local block"));
}

TEST(PreresnetIdentification, EveryTensorOfAPlainNetworkMayBeLost) {
  const Checkpoint whole = checkpointOf("preresnet20");
  for (const auto& entry : whole.state.entries()) {
    if (entry.name.find("num_batches_tracked") != std::string::npos) continue;
    SCOPED_TRACE(entry.name);
    const ModelSummary summary = identifyModel(without(whole, entry.name));
    EXPECT_EQ(summary.variant, "preresnet20");
    EXPECT_THAT(summary.missing, ElementsAre(entry.name));
  }
}

TEST(PreresnetIdentification, NonLocalBlocksThatFollowNoneAreRefused) {
  const Checkpoint whole = checkpointOf("preresnet20_nl");
  Checkpoint damaged;
  damaged.path = whole.path;
  for (const auto& entry : whole.state.entries()) {
    std::string name = entry.name;
    const auto block = name.find("nonlocal");
    if (block != std::string::npos) name[block + 8] = '9';
    if (damaged.state.find(name) == nullptr) damaged.state.insert(name, entry.tensor);
  }
  EXPECT_THROW(identifyModel(damaged, ModelRequest{}), ModelError);
}

/// 4 (C^2 + C) + 2 C parameters of a non-local block of C channels.
constexpr std::int64_t nonLocal(std::int64_t channels) {
  return 4 * (channels * channels + channels) + 2 * channels;
}

// WRN-28-10 without non-local blocks has 36 479 194 parameters (its authors), a pre-activation
// ResNet-50 with a stem of 7 x 7 and 1000 classes 25 549 352 (timm's resnetv2_50).
INSTANTIATE_TEST_SUITE_P(
    Networks, PreresnetNetworksTest,
    ::testing::Values(Network{"preresnet20_nl",
                              10,
                              272282 + 3 * nonLocal(32),
                              {"stage2.nonlocal0", "stage2.nonlocal1", "stage2.nonlocal2"}},
                      Network{"preresnet32_nl",
                              10,
                              466714 + 3 * nonLocal(32),
                              {"stage2.nonlocal0", "stage2.nonlocal2", "stage2.nonlocal4"}},
                      Network{"preresnet56_nl",
                              100,
                              861428 + 3 * nonLocal(32),
                              {"stage2.nonlocal2", "stage2.nonlocal5", "stage2.nonlocal8"}},
                      Network{"preresnet110_nl",
                              10,
                              1730522 + 3 * nonLocal(32),
                              {"stage2.nonlocal5", "stage2.nonlocal11", "stage2.nonlocal17"}},
                      Network{"wrn28_10_nl",
                              10,
                              36479194 + 3 * nonLocal(320),
                              {"stage2.nonlocal0", "stage2.nonlocal1", "stage2.nonlocal3"}},
                      Network{"preresnet50_nl",
                              200,
                              25549352 - 64 * 3 * (49 - 9) - 800 * 2049 + 3 * nonLocal(512),
                              {"stage2.nonlocal0", "stage2.nonlocal1", "stage2.nonlocal3"}}),
    [](const auto& test) { return std::string(test.param.variant); });

TEST(PreresnetIdentification, EveryTensorMayBeLostAndTheRestIsStillRecognised) {
  for (const char* variant : {"preresnet20_nl", "preresnet50_nl"}) {
    const Checkpoint whole = checkpointOf(variant);
    for (const auto& entry : whole.state.entries()) {
      SCOPED_TRACE(entry.name);
      const ModelSummary summary = identifyModel(without(whole, entry.name));
      EXPECT_EQ(summary.variant, variant);
      if (entry.name.find("num_batches_tracked") != std::string::npos) {
        EXPECT_THAT(summary.missing, IsEmpty());
      } else {
        EXPECT_THAT(summary.missing, ElementsAre(entry.name));
      }
      EXPECT_THAT(summary.unexpected, IsEmpty());
      EXPECT_THAT(summary.wrongShape, IsEmpty());
    }
  }
}

TEST(PreresnetIdentification, NumberPlaceAndWidthOfTheBlocksAreReadToo) {
  PreresnetConfiguration configuration = publishedPreresnet("preresnet32_nl").value();
  configuration.stages[1].nonLocal = {3};
  configuration.stages[1].embedding = 16;
  configuration.stages[2].nonLocal = {0, 4};
  configuration.stages[2].embedding = 8;
  configuration.nonLocalNorm = false;
  const ModelSummary summary = identifyModel(checkpointOf(configuration));
  EXPECT_EQ(summary.variant, "custom");
  EXPECT_EQ(summary.classes, 0);
  EXPECT_THAT(summary.heads, ElementsAre(4, 4));
  ASSERT_EQ(summary.layers.size(), 3u);
  EXPECT_EQ(summary.layers[0].name, "stage2.nonlocal3");
  EXPECT_EQ(summary.layers[2].name, "stage3.nonlocal4");
  EXPECT_EQ(summary.layers[2].stage, 3);
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_THAT(summary.unexpected, IsEmpty());
  EXPECT_THAT(summary.wrongShape, IsEmpty());
}

TEST(PreresnetIdentification, HeadsComeFromTheUserThenTheFile) {
  Checkpoint checkpoint = checkpointOf("preresnet20_nl");
  checkpoint.metadata["mechanism"] = "nonlocal";
  const auto summary = [&](std::optional<int> asked = {}) {
    ModelRequest request;
    request.heads = asked;
    return identifyModel(checkpoint, request);
  };
  EXPECT_THAT(summary().heads, ElementsAre(4));
  EXPECT_EQ(summary().confidence(), 0.5);
  EXPECT_THAT(summary().reason, HasSubstr("4 heads are assumed"));
  EXPECT_EQ(summary().mechanismConfidence, 1) << "metadata tells that";
  EXPECT_THAT(summary().headsAlternatives, ElementsAre(4, 1, 2));
  EXPECT_THAT(summary(2).headsAlternatives, ElementsAre(2, 1, 4));
  EXPECT_THAT(summary(8).headsAlternatives, ElementsAre(8, 1, 2, 4));
  EXPECT_THAT(summary(2).heads, ElementsAre(2));
  EXPECT_EQ(summary(2).confidence(), 1);
  EXPECT_FALSE(summary(2).counterfactual) << "nothing says what was trained";
  EXPECT_EQ(summary(2).variant, "preresnet20_nl");

  checkpoint.metadata["heads"] = "1";
  EXPECT_THAT(summary().heads, ElementsAre(1));
  EXPECT_EQ(summary().confidence(), 1);
  EXPECT_EQ(summary().layers.front().heads, 1);
  EXPECT_FALSE(summary().counterfactual);
  EXPECT_TRUE(summary(2).counterfactual);

  checkpoint.metadata["heads"] = "many";
  EXPECT_THAT(summary().heads, ElementsAre(4));
  for (const int impossible : {0, -1, 5, 64}) EXPECT_THROW(summary(impossible), ModelError);
}

TEST(PreresnetIdentification, TheMechanismComesFromTheUserThenTheFileThenItsName) {
  Checkpoint checkpoint = checkpointOf("preresnet56_nl");
  const auto summary = [&](std::optional<std::string> asked = {}) {
    ModelRequest request;
    request.attention = asked;
    request.heads = 4;
    return identifyModel(checkpoint, request);
  };
  EXPECT_EQ(summary().mechanism, "nonlocal");
  EXPECT_EQ(summary().confidence(), 0.5);
  for (const std::string& mechanism : nonLocalMechanisms()) {
    SCOPED_TRACE(mechanism);
    const ModelSummary asked = summary(mechanism);
    EXPECT_EQ(asked.mechanism, mechanism);
    EXPECT_EQ(asked.variant, "preresnet56_nl" + mechanism.substr(8));
    EXPECT_EQ(asked.alternatives.front(), mechanism);
    EXPECT_EQ(asked.alternatives.size(), nonLocalMechanisms().size());
    EXPECT_FALSE(asked.counterfactual) << "nothing says what was trained";
  }

  checkpoint.path = "models/PreResNet56_NL_Scaled_Direction-cifar10.safetensors";
  EXPECT_EQ(summary().mechanism, "nonlocal_scaled_direction");
  EXPECT_EQ(summary().confidence(), 0.9);
  EXPECT_FALSE(summary().counterfactual);
  EXPECT_TRUE(summary("nonlocal").counterfactual);
  EXPECT_THAT(summary().reason, HasSubstr("PreResNet56_NL_Scaled_Direction"));

  checkpoint.metadata["architecture"] = "preresnet56_nl";
  EXPECT_EQ(summary().mechanism, "nonlocal") << "an architecture in the metadata precedes the name";
  checkpoint.metadata["architecture"] = "preresnet_nl";
  EXPECT_EQ(summary().mechanism, "nonlocal_scaled_direction") << "the family's name tells nothing";
  checkpoint.metadata["mechanism"] = "nonlocal_dot";
  EXPECT_EQ(summary().mechanism, "nonlocal_dot");
  EXPECT_EQ(summary().confidence(), 1);
  EXPECT_TRUE(summary("nonlocal_scaled").counterfactual);
  EXPECT_THROW(summary("softmax"), ModelError);
}

TEST(PreresnetIdentification, AnArchitectureIsCheckedAndNamesTheMechanism) {
  ModelRequest request;
  const Checkpoint checkpoint = checkpointOf("preresnet20_nl");
  request.architecture = "preresnet20_nl_scaled";
  EXPECT_EQ(identifyModel(checkpoint, request).mechanism, "nonlocal_scaled");
  request.architecture = "preresnet_nl";
  EXPECT_EQ(identifyModel(checkpoint, request).mechanism, "nonlocal");
  for (const char* other : {"preresnet32_nl", "wrn28_10_nl_scaled", "preresnet"}) {
    request.architecture = other;
    EXPECT_THROW(identifyModel(checkpoint, request), ModelError) << other;
  }
}

TEST(PreresnetIdentification, PicturesAreNormalisedAsTheirDataSetIs) {
  EXPECT_FLOAT_EQ(identifyModel(checkpointOf("preresnet20_nl")).transform.mean[0], 0.4914f);
  EXPECT_FLOAT_EQ(identifyModel(checkpointOf("preresnet20_nl", 100)).transform.mean[0], 0.5071f);
  EXPECT_EQ(identifyModel(checkpointOf("preresnet50_nl", 200)).transform.mean,
            InputTransform{}.mean);
  Checkpoint described = checkpointOf("preresnet20_nl");
  described.metadata["mean"] = "0.5,0.25,0.125";
  described.metadata["input_size"] = "48";
  EXPECT_EQ(identifyModel(described).transform.mean, (std::array{0.5f, 0.25f, 0.125f}));
  EXPECT_EQ(identifyModel(described).transform.width, 48);
}

TEST(PreresnetIdentification, NoPublishedModelIsTakenForIt) {
  for (const auto& [variant, layout] : publishedLayouts().items()) {
    SCOPED_TRACE(variant);
    try {
      EXPECT_NE(identifyModel(zeros(variant)).family, "preresnet_nl");
    } catch (const ModelError&) {
      // Of a family that is not known here.
    }
  }
}

TEST(PreresnetIdentification, TooLittleToBuildANetworkIsAnError) {
  Checkpoint checkpoint;
  checkpoint.state.insert("stage2.nonlocal0.theta.weight", torch::zeros({32, 32, 1, 1}));
  EXPECT_THROW(identifyModel(checkpoint), ModelError);
}

}  // namespace
}  // namespace softscope
