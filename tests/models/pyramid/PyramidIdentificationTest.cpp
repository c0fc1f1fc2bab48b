#include "core/Error.h"
#include "models/OpenModel.h"
#include "models/pyramid/PyramidConfiguration.h"
#include "tests/models/identify/PublishedLayouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace softscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A file of zeros with a network's names and shapes, called so that its name tells nothing.
Checkpoint zerosOf(const NetworkModule& network) {
  Checkpoint checkpoint;
  checkpoint.path = "model.safetensors";
  checkpoint.weights = "raw";
  const auto add = [&](const auto& tensors) {
    for (const auto& entry : tensors) {
      checkpoint.state.insert(entry.key(), torch::zeros({}).expand(entry.value().sizes()));
    }
  };
  add(network.named_parameters());
  add(network.named_buffers());
  return checkpoint;
}

Checkpoint nano(const std::string& mechanism) {
  return zerosOf(*pyramidNetwork(publishedPyramid("pyramid_" + mechanism + "_nano").value()));
}

ModelSummary identify(const Checkpoint& checkpoint, std::optional<std::string> attention = {}) {
  ModelRequest request;
  request.attention = std::move(attention);
  return identifyModel(checkpoint, request);
}

struct Told {
  const char* mechanism;
  const char* parameter;
  std::vector<std::int64_t> shape;
  std::int64_t parameters;
};

class ToldPyramidTest : public ::testing::TestWithParam<Told> {};

TEST_P(ToldPyramidTest, IsIdentifiedFromNamesAndShapes) {
  const Told& told = GetParam();
  const Checkpoint checkpoint = nano(told.mechanism);
  const torch::Tensor* own = checkpoint.state.find(told.parameter);
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own->sizes(), told.shape);
  const ModelSummary summary = identify(checkpoint);
  EXPECT_EQ(summary.family, "soft_pyramid");
  EXPECT_EQ(summary.variant, "pyramid_" + std::string(told.mechanism) + "_nano");
  EXPECT_EQ(summary.mechanism, told.mechanism);
  EXPECT_THAT(summary.alternatives, ElementsAre(told.mechanism));
  EXPECT_EQ(summary.confidence(), 1);
  EXPECT_THAT(summary.heads, ElementsAre(1, 2, 4, 5));
  EXPECT_EQ(summary.classes, 10);
  EXPECT_EQ(summary.parameters, told.parameters);
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_THAT(summary.unexpected, IsEmpty());
  EXPECT_THROW(identify(checkpoint, "softmax"), ModelError);
  EXPECT_EQ(identify(checkpoint, told.mechanism).mechanism, told.mechanism);
}

/// Trainable parameters of the nano pyramid with nothing but projections, counted by hand.
constexpr std::int64_t projectionsAlone = 1808874;

INSTANTIATE_TEST_SUITE_P(Mechanisms, ToldPyramidTest,
                         ::testing::Values(Told{"performer",
                                                "block2.1.att.mha.attn.projection",
                                                {110, 32},
                                                projectionsAlone},
                                           Told{"linformer",
                                                "block2.1.att.mha.attn.E.weight",
                                                {2, 1, 4, 4},
                                                projectionsAlone + 64 + 2 * 2 * 16 + 3 * 4 * 4}),
                         [](const auto& test) { return std::string(test.param.mechanism); });

TEST(PyramidIdentification, SaysWhereHeadsAndRatiosAreAssumed) {
  PyramidConfiguration wide = publishedPyramid("pyramid_sima_nano").value();
  wide.sizes.channels = {64, 128, 256, 320};
  Checkpoint checkpoint = zerosOf(*pyramidNetwork(wide));
  checkpoint.metadata["mechanism"] = "nystromformer";
  const ModelSummary assumed = identify(checkpoint);
  EXPECT_EQ(assumed.variant, "custom");
  EXPECT_EQ(assumed.headsConfidence, 0.5);
  EXPECT_THAT(assumed.reason, HasSubstr("--set heads=A,B,C,D"));
  EXPECT_THAT(assumed.reason, HasSubstr("--set ratios=A,B,C"));
  EXPECT_THAT(assumed.heads, ElementsAre(2, 4, 8, 10));
  checkpoint.metadata["heads"] = "1,2,4,5";
  checkpoint.metadata["ratios"] = "8,4,2";
  const ModelSummary told = identify(checkpoint);
  EXPECT_EQ(told.headsConfidence, 1);
  EXPECT_THAT(told.reason, ::testing::Not(HasSubstr("assumed")));
  EXPECT_THAT(told.heads, ElementsAre(1, 2, 4, 5));
}

TEST(PyramidIdentification, NineMechanismsShareTheirParameters) {
  for (const std::string& mechanism : pyramidMechanismsWithoutParameters()) {
    SCOPED_TRACE(mechanism);
    const Checkpoint checkpoint = nano(mechanism);
    const ModelSummary summary = identify(checkpoint);
    EXPECT_EQ(summary.family, "soft_pyramid");
    EXPECT_EQ(summary.mechanism, "softmax");
    EXPECT_EQ(summary.variant, "pyramid_softmax_nano");
    EXPECT_EQ(summary.confidence(), 0.5);
    EXPECT_THAT(summary.reason, HasSubstr("nothing says which was trained"));
    EXPECT_THAT(summary.alternatives,
                ElementsAre("softmax", "sima", "sima_l2", "sima_unnormalised", "elu", "efficient",
                            "cosformer", "cosformer_plain", "nystromformer"));
    EXPECT_EQ(summary.parameters, projectionsAlone);
    EXPECT_THAT(summary.heads, ElementsAre(1, 2, 4, 5));
    EXPECT_THAT(summary.missing, IsEmpty());
    EXPECT_THAT(summary.unexpected, IsEmpty());
    const ModelSummary asked = identify(checkpoint, mechanism);
    EXPECT_EQ(asked.mechanism, mechanism);
    EXPECT_EQ(asked.variant, "pyramid_" + mechanism + "_nano");
    EXPECT_EQ(asked.alternatives.front(), mechanism);
    EXPECT_EQ(asked.alternatives.size(), 9u);
    EXPECT_EQ(asked.counterfactual, mechanismNamed(mechanism).neverTrained)
        << "nothing says what was trained";
    Checkpoint told = checkpoint;
    told.metadata["mechanism"] = mechanism;
    EXPECT_EQ(identify(told).mechanism, mechanism);
    EXPECT_FALSE(identify(told).counterfactual);
  }
  EXPECT_THROW(identify(nano("softmax"), "performer"), ModelError);
  EXPECT_THROW(identify(nano("softmax"), "soft"), ModelError);
}

TEST(PyramidIdentification, TheMechanismComesFromTheUserThenTheFileThenItsName) {
  Checkpoint checkpoint = nano("softmax");
  checkpoint.path = "/runs/sima/pyramid_elu_nano.safetensors";
  EXPECT_EQ(identify(checkpoint).mechanism, "elu");
  EXPECT_EQ(identify(checkpoint).confidence(), 0.9);

  checkpoint.metadata["architecture"] = "pyramid_cosformer_nano";
  EXPECT_EQ(identify(checkpoint).mechanism, "cosformer");
  checkpoint.metadata["architecture"] = "pyramid_cosformer_plain_nano";
  EXPECT_EQ(identify(checkpoint).mechanism, "cosformer_plain");
  EXPECT_EQ(identify(checkpoint).confidence(), 1);

  checkpoint.metadata["mechanism"] = "nystromformer";
  const ModelSummary summary = identify(checkpoint);
  EXPECT_EQ(summary.mechanism, "nystromformer");
  EXPECT_EQ(summary.confidence(), 1);
  EXPECT_FALSE(summary.counterfactual);
  EXPECT_EQ(summary.layers.front().mechanism, "nystromformer");
  EXPECT_EQ(summary.layers.back().mechanism, "softmax");
  EXPECT_TRUE(identify(checkpoint, "sima").counterfactual);
  EXPECT_EQ(identify(checkpoint, "sima").variant, "pyramid_sima_nano");
  EXPECT_FALSE(identify(checkpoint, "nystromformer").counterfactual);
}

TEST(PyramidIdentification, OnlyWholeWordsOfANameSayAMechanism) {
  Checkpoint checkpoint = nano("softmax");
  checkpoint.path = "pyramid_relu_simax.pth";
  EXPECT_EQ(identify(checkpoint).confidence(), 0.5);
  checkpoint.path = "my-SimA.pth";
  EXPECT_EQ(identify(checkpoint).mechanism, "sima");
}

TEST(PyramidIdentification, ArchSaysFamilyAndVariant) {
  ModelRequest request;
  request.architecture = "soft_pyramid";
  EXPECT_EQ(identifyModel(nano("performer"), request).family, "soft_pyramid");
  request.architecture = "pyramid_performer_nano";
  EXPECT_EQ(identifyModel(nano("performer"), request).mechanism, "performer");
  request.architecture = "pyramid_elu_nano";
  EXPECT_EQ(identifyModel(nano("softmax"), request).mechanism, "elu");
  EXPECT_THROW(identifyModel(nano("performer"), request), ModelError);
  EXPECT_THROW(identifyModel(zeros("soft_tiny"), request), ModelError);
}

TEST(PyramidIdentification, SoftItselfIsNoneOfThem) {
  EXPECT_EQ(identify(zeros("soft_tiny")).family, "soft");
}

TEST(PyramidIdentification, EveryTensorMayBeLostAndTheRestIsStillRecognised) {
  for (const char* mechanism : {"performer", "linformer", "softmax"}) {
    const Checkpoint whole = nano(mechanism);
    for (const auto& entry : whole.state.entries()) {
      if (entry.name.find("num_batches_tracked") != std::string::npos) continue;
      SCOPED_TRACE(entry.name);
      const ModelSummary summary = identify(without(whole, entry.name));
      EXPECT_EQ(summary.variant, "pyramid_" + std::string(mechanism) + "_nano");
      EXPECT_THAT(summary.missing, ElementsAre(entry.name));
      EXPECT_THAT(summary.unexpected, IsEmpty());
    }
  }
}

TEST(PyramidIdentification, AHeadAbsentAsAWholeIsABackbone) {
  const ModelSummary summary =
      identify(without(without(nano("softmax"), "head.weight"), "head.bias"));
  EXPECT_EQ(summary.classes, 0);
  EXPECT_THAT(summary.missing, IsEmpty());
}

/// Channels of a pyramid whose heads are not 32 wide.
PyramidConfiguration wide(const std::string& mechanism) {
  PyramidConfiguration configuration{.sizes = {.channels = {16, 24, 32, 48},
                                               .heads = {2, 3, 4, 6},
                                               .depths = {1, 1, 1, 1},
                                               .ratios = {3, 2, 1},
                                               .hidden = {64, 96, 128, 192},
                                               .classes = 5},
                                     .implementation = findPyramidMechanism(mechanism),
                                     .features = {16, 16, 16}};
  return configuration;
}

ModelSummary summaryOf(const PyramidConfiguration& configuration,
                       std::map<std::string, std::string> metadata) {
  Checkpoint checkpoint;
  checkpoint.path = "custom.safetensors";
  checkpoint.metadata = std::move(metadata);
  const auto network = pyramidNetwork(configuration);
  for (const auto& entry : network->named_parameters()) {
    checkpoint.state.insert(entry.key(), torch::zeros(entry.value().sizes()));
  }
  for (const auto& entry : network->named_buffers()) {
    checkpoint.state.insert(entry.key(), torch::zeros(entry.value().sizes()));
  }
  return identify(checkpoint);
}

TEST(PyramidIdentification, HeadsComeFromTheWeightsElseFromMetadataElseThirtyTwoChannelsWide) {
  const ModelSummary performer = summaryOf(wide("performer"), {});
  EXPECT_EQ(performer.variant, "custom");
  EXPECT_THAT(performer.heads, ElementsAre(2, 3, 4, 6));
  EXPECT_THAT(performer.wrongShape, IsEmpty());
  const ModelSummary linformer = summaryOf(wide("linformer"), {});
  EXPECT_THAT(linformer.heads, ElementsAre(2, 3, 4, 6));
  EXPECT_THAT(linformer.wrongShape, IsEmpty()) << "ratios stand in the filters";

  const PyramidConfiguration softmax = wide("softmax");
  EXPECT_THAT(summaryOf(softmax, pyramidMetadata(softmax)).heads, ElementsAre(2, 3, 4, 6));
  EXPECT_THAT(summaryOf(softmax, {}).heads, ElementsAre(1, 1, 1, 1));
  for (const char* unreadable : {"2,3,4,", "two", "", "2;3;4;6", "-2,3,4,6", "99999999999"}) {
    EXPECT_THAT(summaryOf(softmax, {{"heads", unreadable}}).heads, ElementsAre(1, 1, 1, 1));
  }
  EXPECT_THROW(summaryOf(softmax, {{"heads", "5,3,4,6"}}), ModelError);
}

TEST(PyramidIdentification, MetadataOfATrainingSaysHeadsAndRatios) {
  const auto nystromformer = publishedPyramid("pyramid_nystromformer_nano").value();
  EXPECT_EQ(pyramidMetadata(nystromformer),
            (std::map<std::string, std::string>{{"heads", "1,2,4,5"}, {"ratios", "8,4,2"}}));
  const auto sima = publishedPyramid("pyramid_sima_nano").value();
  EXPECT_EQ(pyramidMetadata(sima), (std::map<std::string, std::string>{{"heads", "1,2,4,5"}}));
}

TEST(PyramidIdentification, UnknownNamesAreNoVariants) {
  EXPECT_FALSE(publishedPyramid("pyramid_soft_nano").has_value());
  EXPECT_FALSE(publishedPyramid("pyramid_nano").has_value());
  EXPECT_FALSE(publishedPyramid("soft_nano").has_value());
  EXPECT_FALSE(publishedPyramid("pyramid_elu_tiny").has_value());
}

}  // namespace
}  // namespace softscope
