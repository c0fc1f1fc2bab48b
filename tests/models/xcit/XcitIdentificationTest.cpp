#include "core/Error.h"
#include "models/OpenModel.h"
#include "tests/models/identify/PublishedLayouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace softscope {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Heads of the published widths.
int publishedHeads(const std::string& variant) {
  if (variant.find("large") != std::string::npos) return 16;
  if (variant.find("small") != std::string::npos || variant.find("medium") != std::string::npos) {
    return 8;
  }
  return 4;
}

class PublishedXcitTest : public ::testing::TestWithParam<const char*> {};

TEST_P(PublishedXcitTest, IsIdentifiedFromNamesAndShapes) {
  for (const std::string family : {"xcit", "sima"}) {
    const std::string variant = family + "_" + GetParam();
    SCOPED_TRACE(variant);
    const ModelSummary summary = identifyModel(zeros(variant));
    const bool sima = family == "sima";
    EXPECT_EQ(summary.family, family);
    EXPECT_EQ(summary.variant, variant);
    EXPECT_EQ(summary.mechanism, sima ? "sima" : "xca_channel");
    EXPECT_EQ(summary.parameters, publishedParameters(variant));
    EXPECT_EQ(summary.classes, 1000);
    EXPECT_THAT(summary.heads, ElementsAre(publishedHeads(variant)));
    EXPECT_EQ(summary.confidence(), 1.0);
    EXPECT_THAT(summary.undetermined(), IsEmpty());
    EXPECT_FALSE(summary.counterfactual);
    EXPECT_THAT(summary.missing, IsEmpty());
    EXPECT_THAT(summary.unexpected, IsEmpty());
    EXPECT_THAT(summary.wrongShape, IsEmpty());
    EXPECT_DOUBLE_EQ(summary.transform.cropFraction, 1.0);
    EXPECT_EQ(summary.transform.height, 224);
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, PublishedXcitTest,
                         ::testing::Values("nano_12_p16", "nano_12_p8", "tiny_12_p16", "tiny_12_p8",
                                           "tiny_24_p16", "tiny_24_p8", "small_12_p16",
                                           "small_12_p8", "small_24_p16", "small_24_p8",
                                           "medium_24_p16", "medium_24_p8", "large_24_p16",
                                           "large_24_p8"));

TEST(XcitIdentification, ListsTokenBlocksThenClassBlocks) {
  const ModelSummary summary = identifyModel(zeros("xcit_nano_12_p16"));
  ASSERT_EQ(summary.layers.size(), 14u);
  EXPECT_EQ(summary.layers.front().name, "blocks.0.attn");
  EXPECT_EQ(summary.layers.front().mechanism, "xca_channel");
  EXPECT_EQ(summary.layers[11].name, "blocks.11.attn");
  EXPECT_EQ(summary.layers[12].name, "cls_attn_blocks.0.attn");
  EXPECT_EQ(summary.layers.back().mechanism, "softmax_class");
  EXPECT_EQ(summary.layers.back().heads, 4);
}

class DamagedXcitTest : public ::testing::TestWithParam<const char*> {};

TEST_P(DamagedXcitTest, EveryTensorMayBeLostAndTheRestIsStillRecognised) {
  const std::string variant = GetParam();
  expectEachTensorMayBeLost(zeros(variant), variant, [](const std::string& name) {
    return name.find("num_batches_tracked") != std::string::npos;
  });
}

INSTANTIATE_TEST_SUITE_P(Layouts, DamagedXcitTest,
                         ::testing::Values("xcit_nano_12_p16", "sima_tiny_12_p8"));

TEST(XcitIdentification, WrongShapesAndStrangersAreNamed) {
  Checkpoint checkpoint = zeros("xcit_nano_12_p16");
  checkpoint.state.insert("blocks.3.attn.qkv.weight", torch::zeros({384, 64}));
  checkpoint.state.insert("stranger", torch::zeros({3}));
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_THAT(summary.unexpected, ElementsAre("stranger"));
  EXPECT_THAT(summary.wrongShape,
              ElementsAre("blocks.3.attn.qkv.weight is [384, 64], expected [384, 128]"));
}

TEST(XcitIdentification, ADetectorsBackboneHasNoClassAttention) {
  const Checkpoint whole = zeros("xcit_small_12_p16");
  Checkpoint backbone = whole;
  backbone.state = {};
  for (const auto& entry : whole.state.entries()) {
    const bool classifies = entry.name.rfind("cls_", 0) == 0 || entry.name.rfind("norm.", 0) == 0 ||
                            entry.name.rfind("head.", 0) == 0;
    if (!classifies) backbone.state.insert(entry.name, entry.tensor);
  }
  backbone.state.insert("fpn2.0.weight", torch::zeros({384, 384, 2, 2}));
  const ModelSummary summary = identifyModel(backbone);
  EXPECT_EQ(summary.variant, "xcit_small_12_p16");
  EXPECT_EQ(summary.layers.size(), 12u);
  EXPECT_EQ(summary.classes, 0);
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_THAT(summary.unexpected, ElementsAre("fpn2.0.weight"));

  // What is left of a class-attention block is damage, not a backbone.
  backbone.state.insert("cls_attn_blocks.1.gamma1", torch::zeros({384}));
  backbone.state.insert("cls_token", torch::zeros({1, 1, 384}));
  EXPECT_THAT(identifyModel(backbone).missing, Contains("cls_attn_blocks.0.attn.qkv.weight"));
}

TEST(XcitIdentification, AHeadAbsentAsAWholeKeepsClassAttention) {
  const ModelSummary summary =
      identifyModel(without(without(zeros("xcit_tiny_12_p16"), "head.weight"), "head.bias"));
  EXPECT_EQ(summary.classes, 0);
  EXPECT_EQ(summary.layers.size(), 14u);
  EXPECT_THAT(summary.missing, IsEmpty());
}

TEST(XcitIdentification, FileNamesTellModelsFor384Pixels) {
  Checkpoint checkpoint = zeros("xcit_nano_12_p8");
  checkpoint.path = "/models/xcit_nano_12_p8_384_dist.pth";
  EXPECT_EQ(identifyModel(checkpoint).transform.height, 384);
  EXPECT_EQ(identifyModel(checkpoint).transform.width, 384);
}

TEST(XcitIdentification, TemperaturesTellHeadsAndMechanism) {
  ModelRequest request;
  request.heads = 4;
  EXPECT_THAT(identifyModel(zeros("xcit_nano_12_p16"), request).heads, ElementsAre(4));
  request.heads = 8;
  EXPECT_THROW(identifyModel(zeros("xcit_nano_12_p16"), request), ModelError);
  request = {};
  request.attention = "xca_channel";
  EXPECT_FALSE(identifyModel(zeros("xcit_nano_12_p16"), request).counterfactual);
  request.attention = "softmax";
  EXPECT_THROW(identifyModel(zeros("xcit_nano_12_p16"), request), ModelError);
}

/// zeros() of XCiT-Nano, of whose blocks only the first ones are left, so that nobody published it.
Checkpoint shallowXcit() {
  const Checkpoint whole = zeros("xcit_nano_12_p16");
  Checkpoint checkpoint = whole;
  checkpoint.path = "checkpoint.pth";
  checkpoint.state = {};
  for (const auto& entry : whole.state.entries()) {
    const bool isFirst = entry.name.starts_with("blocks.0.") || entry.name.starts_with("blocks.1.");
    if (isFirst || !entry.name.starts_with("blocks.")) {
      checkpoint.state.insert(entry.name, entry.tensor);
    }
  }
  return checkpoint;
}

TEST(XcitIdentification, WhatClassAttentionNormalisesIsAGuessAtSizesThatNobodyPublished) {
  Checkpoint checkpoint = shallowXcit();
  const ModelSummary summary = identifyModel(checkpoint);
  ASSERT_NE(summary.setting("tokens_norm"), nullptr);
  EXPECT_EQ(summary.setting("tokens_norm")->value, "false");
  EXPECT_TRUE(summary.setting("tokens_norm")->isUndetermined());
  EXPECT_EQ(summary.setting("pooling"), nullptr) << "the authors' code has no other head";
  for (const char* said : {"true", "True"}) {
    checkpoint.metadata["tokens_norm"] = said;
    const ModelSummary told = identifyModel(checkpoint);
    EXPECT_EQ(told.setting("tokens_norm")->value, "true");
    EXPECT_FALSE(told.setting("tokens_norm")->isUndetermined());
  }
  checkpoint.metadata["tokens_norm"] = "LayerNorm";
  EXPECT_TRUE(identifyModel(checkpoint).setting("tokens_norm")->isUndetermined());
}

TEST(XcitIdentification, SimaIsCalledByItsOwnName) {
  Checkpoint checkpoint = zeros("sima_tiny_12_p8");
  checkpoint.metadata["pooling"] = "unknown";
  EXPECT_EQ(identifyModel(checkpoint).setting("pooling")->source, "as in every published SimA");
}

TEST(XcitIdentification, WhatSoftscopeTrainedIsNoGuess) {
  ModelRequest request;
  request.path = SOFTSCOPE_SOURCE "/resources/checkpoints/sima_xcit_everyday10.safetensors";
  const ModelSummary summary = openModel(request)->summary();
  EXPECT_THAT(summary.undetermined(), IsEmpty());
  EXPECT_EQ(summary.setting("pooling"), nullptr);
}

}  // namespace
}  // namespace softscope
