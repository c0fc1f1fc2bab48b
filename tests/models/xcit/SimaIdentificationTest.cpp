#include "core/Error.h"
#include "models/OpenModel.h"
#include "tests/models/identify/PublishedLayouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace softscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The published layouts are identified in XcitIdentificationTest, with XCiT's.

TEST(SimaIdentification, SoftmaxIsAnAlternativeThatWasNotTrained) {
  const Checkpoint checkpoint = zeros("sima_nano_12_p16");
  EXPECT_THAT(identifyModel(checkpoint).alternatives,
              ElementsAre("sima", "softmax", "sima_l2", "sima_unnormalised"));
  ModelRequest request;
  request.attention = "softmax";
  const ModelSummary summary = identifyModel(checkpoint, request);
  EXPECT_TRUE(summary.counterfactual);
  EXPECT_EQ(summary.mechanism, "softmax");
  EXPECT_EQ(summary.layers.front().mechanism, "softmax");
  EXPECT_EQ(summary.layers.back().mechanism, "softmax_class");
  EXPECT_THAT(summary.alternatives, ElementsAre("softmax", "sima", "sima_l2", "sima_unnormalised"));
  for (const std::string name : {"sima_l2", "sima_unnormalised"}) {
    request.attention = name;
    const ModelSummary ablated = identifyModel(checkpoint, request);
    EXPECT_EQ(ablated.mechanism, name);
    EXPECT_EQ(ablated.layers.front().mechanism, name);
    EXPECT_EQ(ablated.layers.back().mechanism, name + "_class");
    EXPECT_EQ(ablated.mechanismNote(), "not what was trained");
  }
  request.attention = "xca_channel";
  EXPECT_THROW(identifyModel(checkpoint, request), ModelError);
}

TEST(SimaIdentification, MetadataSaysWhatWasTrained) {
  Checkpoint checkpoint = zeros("sima_nano_12_p16");
  checkpoint.metadata["mechanism"] = "softmax";
  EXPECT_EQ(identifyModel(checkpoint).mechanism, "softmax");
  EXPECT_FALSE(identifyModel(checkpoint).counterfactual);
  ModelRequest request;
  request.attention = "sima";
  EXPECT_TRUE(identifyModel(checkpoint, request).counterfactual);
}

TEST(SimaIdentification, HeadsComeFromTheUserThenTheFileThenTheWidth) {
  Checkpoint checkpoint = zeros("sima_small_12_p16");
  EXPECT_THAT(identifyModel(checkpoint).heads, ElementsAre(8));
  EXPECT_THAT(identifyModel(checkpoint).setting("heads")->source, HasSubstr("sima_small_12_p16"));
  EXPECT_THAT(identifyModel(checkpoint).headsAlternatives,
              ElementsAre(8, 1, 2, 3, 4, 6, 12, 16, 24, 32, 48, 64, 96));

  checkpoint.metadata["heads"] = "6";
  EXPECT_THAT(identifyModel(checkpoint).heads, ElementsAre(6));
  EXPECT_EQ(identifyModel(checkpoint).confidence(), 1.0);
  EXPECT_FALSE(identifyModel(checkpoint).counterfactual);
  checkpoint.metadata["heads"] = "five";
  EXPECT_THAT(identifyModel(checkpoint).heads, ElementsAre(8));

  ModelRequest request;
  request.heads = 1;
  const ModelSummary summary = identifyModel(checkpoint, request);
  EXPECT_THAT(summary.heads, ElementsAre(1));
  EXPECT_EQ(summary.confidence(), 1.0);
  EXPECT_EQ(summary.variant, "custom");
  EXPECT_EQ(summary.layers.back().heads, 1);
  request.heads = 7;
  EXPECT_THROW(identifyModel(checkpoint, request), ModelError);
  request.heads = -8;
  EXPECT_THROW(identifyModel(checkpoint, request), ModelError);
}

TEST(SimaIdentification, TheActivationComesFromTheUserThenTheFile) {
  for (const char* variant : {"sima_nano_12_p16", "xcit_nano_12_p16"}) {
    Checkpoint checkpoint = zeros(variant);
    EXPECT_EQ(identifyModel(checkpoint).setting("activation")->value, "gelu");
    ModelRequest request;
    request.activation = "relu";
    EXPECT_EQ(identifyModel(checkpoint, request).setting("activation")->value, "relu");
    EXPECT_EQ(identifyModel(checkpoint, request).variant, "custom");
    EXPECT_TRUE(identifyModel(checkpoint, request).counterfactual)
        << "published networks of these sizes have GELU";

    checkpoint.metadata["activation"] = "ReLU";
    EXPECT_EQ(identifyModel(checkpoint).setting("activation")->value, "relu");
    EXPECT_FALSE(identifyModel(checkpoint).counterfactual);
    request.activation = "gelu";
    EXPECT_EQ(identifyModel(checkpoint, request).setting("activation")->value, "gelu");
    EXPECT_TRUE(identifyModel(checkpoint, request).counterfactual);
    EXPECT_EQ(identifyModel(checkpoint, request).mechanismNote(),
              "with GELU, not what was trained");
    request.activation = "swish";
    EXPECT_THROW(identifyModel(checkpoint, request), ModelError);
  }
}

TEST(SimaIdentification, OtherFamiliesHaveNoActivationToChoose) {
  const ModelRequest request{.activation = "gelu"};
  try {
    identifyModel(zeros("soft_tiny"), request);
    FAIL() << "SOFT's activation is its own";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("leave out --activation"));
  }
  EXPECT_EQ(identifyModel(zeros("soft_tiny")).setting("activation"), nullptr);
}

TEST(SimaIdentification, BlocksMayLackLocalInteraction) {
  const Checkpoint whole = zeros("sima_nano_12_p16");
  Checkpoint checkpoint = whole;
  checkpoint.state = {};
  for (const auto& entry : whole.state.entries()) {
    const bool local = entry.name.find("local_mp") != std::string::npos ||
                       entry.name.find("norm3") != std::string::npos ||
                       entry.name.find("gamma3") != std::string::npos;
    if (!local) checkpoint.state.insert(entry.name, entry.tensor);
  }
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_EQ(summary.family, "sima");
  EXPECT_EQ(summary.variant, "custom");
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_THAT(summary.unexpected, IsEmpty());
}

TEST(SimaIdentification, XcitsWeightsMayBeOpenedAsSima) {
  const ModelRequest request{.architecture = "sima"};
  Checkpoint checkpoint = zeros("xcit_nano_12_p16");
  for (const char* trained : {"", "xca_channel"}) {
    if (*trained != '\0') checkpoint.metadata["mechanism"] = trained;
    const ModelSummary summary = identifyModel(checkpoint, request);
    EXPECT_EQ(summary.mechanism, "sima");
    EXPECT_TRUE(summary.counterfactual);
  }
}

TEST(SimaIdentification, DamagedShapesAreRefusedWithAReason) {
  Checkpoint checkpoint = zeros("sima_nano_12_p16");
  for (const char* name : {"norm.weight", "norm.bias"}) {
    checkpoint.state.insert(name, torch::zeros({100}));
  }
  try {
    identifyModel(checkpoint);
    FAIL() << "100 channels cannot be halved three times";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("100"));
  }
}

}  // namespace
}  // namespace softscope
