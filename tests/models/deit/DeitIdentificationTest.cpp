#include "core/Error.h"
#include "models/OpenModel.h"
#include "tests/models/identify/PublishedLayouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace softscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct PublishedDeit {
  const char* variant;
  int heads;
};

class PublishedDeitTest : public ::testing::TestWithParam<PublishedDeit> {};

TEST_P(PublishedDeitTest, IsIdentifiedFromNamesAndShapes) {
  const auto [variant, heads] = GetParam();
  Checkpoint checkpoint = zeros(variant);
  checkpoint.path = "checkpoint.pth";
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_EQ(summary.family, "deit");
  EXPECT_EQ(summary.variant, variant);
  EXPECT_EQ(summary.mechanism, "softmax");
  EXPECT_THAT(summary.alternatives, ElementsAre("softmax", "sima", "sima_l2", "sima_unnormalised"));
  EXPECT_EQ(summary.confidence(), 0.5);
  EXPECT_EQ(summary.parameters, publishedParameters(variant));
  EXPECT_THAT(summary.heads, ElementsAre(heads));
  EXPECT_EQ(summary.classes, 1000);
  ASSERT_EQ(summary.layers.size(), 12u);
  EXPECT_EQ(summary.layers.back().name, "blocks.11.attn");
  EXPECT_EQ(summary.layers.back().heads, heads);
  EXPECT_EQ(summary.transform, InputTransform{});
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_THAT(summary.unexpected, IsEmpty());
  EXPECT_THAT(summary.wrongShape, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Layouts, PublishedDeitTest,
                         ::testing::Values(PublishedDeit{"deit_tiny_patch16_224", 3},
                                           PublishedDeit{"deit_small_patch16_224", 6},
                                           PublishedDeit{"deit_base_patch16_224", 12}));

/// deit_tiny as it is published with a distillation token.
Checkpoint distilled() {
  Checkpoint checkpoint = zeros("deit_tiny_patch16_224");
  checkpoint.state.insert("pos_embed", torch::zeros({1, 198, 192}));
  checkpoint.state.insert("dist_token", torch::zeros({1, 1, 192}));
  checkpoint.state.insert("head_dist.weight", torch::zeros({1000, 192}));
  checkpoint.state.insert("head_dist.bias", torch::zeros({1000}));
  return checkpoint;
}

TEST(DeitIdentification, EveryTensorMayBeLostAndTheRestIsStillRecognised) {
  for (const Checkpoint& whole : {zeros("deit_tiny_patch16_224"), distilled()}) {
    expectEachTensorMayBeLost(whole, identifyModel(whole).variant);
  }
}

TEST(DeitIdentification, ADistillationTokenIsAPrefixToken) {
  const ModelSummary summary = identifyModel(distilled());
  EXPECT_EQ(summary.variant, "deit_tiny_distilled_patch16_224");
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_THAT(summary.unexpected, IsEmpty());
  EXPECT_EQ(summary.parameters, publishedParameters("deit_tiny_patch16_224") + 192 * 1002 + 1000);
  EXPECT_EQ(summary.transform.height, 224);
}

TEST(DeitIdentification, SizesThatCostNothingAndMeanNothingAreDamage) {
  Checkpoint checkpoint = zeros("deit_tiny_patch16_224");
  checkpoint.path = "checkpoint.pth";
  const std::int64_t most = std::numeric_limits<std::int32_t>::max();
  StateDict state;
  for (const auto& entry : checkpoint.state.entries()) {
    state.insert(entry.name, entry.name == "pos_embed" ? torch::empty({1, most, 0}) : entry.tensor);
  }
  checkpoint.state = state;
  try {
    identifyModel(checkpoint);
    ADD_FAILURE() << "nothing is that large";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("pos_embed has a dimension of 2147483647"));
  }
}

TEST(DeitIdentification, HeadsAbsentAsAWholeMakeABackbone) {
  Checkpoint checkpoint = distilled();
  for (const char* name : {"head.weight", "head.bias", "head_dist.weight", "head_dist.bias"}) {
    checkpoint = without(checkpoint, name);
  }
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_EQ(summary.classes, 0);
  EXPECT_THAT(summary.missing, IsEmpty());
}

TEST(DeitIdentification, AnyWidthDepthPatchAndSizeIsCustom) {
  const Checkpoint published = zeros("deit_tiny_patch16_224");
  Checkpoint checkpoint = published;
  checkpoint.state = {};
  for (const auto& entry : published.state.entries()) {
    if (entry.name.find("blocks.") == 0 && entry.name.find("blocks.0.") != 0) continue;
    std::vector<std::int64_t> shape = entry.tensor.sizes().vec();
    for (std::int64_t& size : shape) {
      if (size % 192 == 0) size = size / 192 * 320;
    }
    if (entry.name == "patch_embed.proj.weight") shape = {320, 3, 8, 8};
    if (entry.name == "pos_embed") shape = {1, 1 + 20 * 20, 320};
    checkpoint.state.insert(entry.name, torch::zeros(shape));
  }
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_EQ(summary.variant, "custom");
  EXPECT_THAT(summary.heads, ElementsAre(5));
  EXPECT_EQ(summary.layers.size(), 1u);
  EXPECT_EQ(summary.transform.width, 160);
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_THAT(summary.wrongShape, IsEmpty());
}

TEST(DeitIdentification, HeadsMayBeChosen) {
  ModelRequest request;
  request.heads = 2;
  const ModelSummary summary = identifyModel(zeros("deit_tiny_patch16_224"), request);
  EXPECT_THAT(summary.heads, ElementsAre(2));
  EXPECT_EQ(summary.variant, "custom");
  request.heads = 5;
  EXPECT_THROW(identifyModel(zeros("deit_tiny_patch16_224"), request), ModelError);
}

/// A state of zeros as of DeiT-Tiny's first block, but `width` channels wide.
Checkpoint zerosOfWidth(int width, const std::string& path) {
  const Checkpoint published = zeros("deit_tiny_patch16_224");
  Checkpoint checkpoint = published;
  checkpoint.path = path;
  checkpoint.state = {};
  for (const auto& entry : published.state.entries()) {
    if (entry.name.starts_with("blocks.") && !entry.name.starts_with("blocks.0.")) continue;
    std::vector<std::int64_t> shape = entry.tensor.sizes().vec();
    for (std::int64_t& size : shape) {
      if (size % 192 == 0 && size < 1000) size = size / 192 * width;
    }
    if (entry.name == "patch_embed.proj.weight") shape = {width, 3, 16, 16};
    checkpoint.state.insert(entry.name, torch::zeros(shape));
  }
  return checkpoint;
}

TEST(DeitIdentification, HeadsOfAnOddWidthAreAssumed) {
  Checkpoint checkpoint = zerosOfWidth(240, "model.pth");
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_THAT(summary.wrongShape, IsEmpty());
  EXPECT_THAT(summary.heads, ElementsAre(4)) << "of 60 channels, the nearest to 64";
  EXPECT_EQ(summary.headsConfidence, 0.5);
  EXPECT_THAT(summary.headsAlternatives,
              ElementsAre(4, 1, 2, 3, 5, 6, 8, 10, 12, 15, 16, 20, 24, 30, 40, 48, 60));
  EXPECT_THAT(summary.reason, HasSubstr("240 channels"));
  ModelRequest request;
  request.heads = 5;
  EXPECT_THAT(identifyModel(checkpoint, request).headsAlternatives.front(), 5);
  EXPECT_EQ(identifyModel(checkpoint, request).headsConfidence, 1);
  checkpoint.metadata["heads"] = "6";
  EXPECT_THAT(identifyModel(checkpoint).heads, ElementsAre(6));
  EXPECT_EQ(identifyModel(checkpoint).headsConfidence, 1);
  EXPECT_TRUE(identifyModel(checkpoint, request).counterfactual);
}

TEST(DeitIdentification, HeadsAreOpenWhereSimaWasTrained) {
  Checkpoint checkpoint = zeros("deit_tiny_patch16_224");
  EXPECT_EQ(identifyModel(checkpoint).headsConfidence, 1);
  EXPECT_THAT(identifyModel(checkpoint).headsAlternatives, IsEmpty());
  ModelRequest request;
  request.attention = "sima";
  EXPECT_THAT(identifyModel(checkpoint, request).headsAlternatives, IsEmpty())
      << "a counterfactual of a DeiT";
  checkpoint.path = "deit_tiny_sima.pth";
  EXPECT_LT(identifyModel(checkpoint).headsConfidence, 0.75);
  EXPECT_THAT(identifyModel(checkpoint).headsAlternatives,
              ElementsAre(3, 1, 2, 4, 6, 8, 12, 16, 24, 32, 48));
}

TEST(DeitIdentification, TheWidestOfTimmsHaveSixteenHeads) {
  const ModelSummary summary = identifyModel(zerosOfWidth(1280, "vit_huge.pth"));
  EXPECT_THAT(summary.heads, ElementsAre(16));
  EXPECT_EQ(summary.headsAlternatives.front(), 16);
}

TEST(DeitIdentification, TheMechanismComesFromTheUserThenTheFileThenItsName) {
  Checkpoint checkpoint = zeros("deit_tiny_patch16_224");
  const auto summary = [&](std::optional<std::string> asked = {}) {
    ModelRequest request;
    request.attention = asked;
    return identifyModel(checkpoint, request);
  };
  EXPECT_EQ(summary().mechanism, "softmax");
  EXPECT_EQ(summary().confidence(), 0.9);
  EXPECT_FALSE(summary().counterfactual);
  EXPECT_TRUE(summary("sima").counterfactual);
  EXPECT_THAT(summary("sima").alternatives,
              ElementsAre("sima", "softmax", "sima_l2", "sima_unnormalised"));
  EXPECT_EQ(summary("sima").layers.front().mechanism, "sima");

  checkpoint.path = "deit/checkpoint.pth";
  EXPECT_FALSE(summary("sima").counterfactual) << "nothing says what was trained";
  EXPECT_TRUE(summary("sima_l2").counterfactual) << "nobody has published weights of it";

  checkpoint.metadata["args.model"] = "deit_tiny_patch16_224";
  checkpoint.path = "deit_tiny_SimA.pth";
  EXPECT_EQ(summary().mechanism, "sima");
  EXPECT_THAT(summary().reason, HasSubstr("deit_tiny_SimA.pth"));
  EXPECT_TRUE(summary("softmax").counterfactual);

  checkpoint.metadata["mechanism"] = "softmax";
  EXPECT_EQ(summary().mechanism, "softmax");
  EXPECT_EQ(summary().confidence(), 1.0);
  EXPECT_THROW(summary("soft"), ModelError);
}

TEST(DeitIdentification, AWholePublishedNameAloneTellsTheMechanism) {
  Checkpoint checkpoint = zeros("deit_tiny_patch16_224");
  const auto isGuess = [&](const char* name) {
    checkpoint.path = name;
    const NetworkSetting* setting = identifyModel(checkpoint).setting("attention");
    return setting != nullptr && setting->isUndetermined();
  };
  for (const char* name : {"deit_tiny_patch16_224.pth", "deit_tiny_patch16_224-a1311bcf.pth",
                           "vit_tiny_patch16_224.augreg_in21k_ft_in1k.safetensors",
                           "vit_base_patch16_224.augreg2_in21k_ft_in1k.safetensors",
                           "vit_base_patch16_224_miil.in21k.bin"}) {
    EXPECT_FALSE(isGuess(name)) << name;
  }
  for (const char* name :
       {"hydra_deit_tiny.pth", "deit_tiny_performer.pth", "linear_attention_vit_tiny.pth",
        "cosformer_deit_small_patch16.pth", "deit_tiny_patch16_224_linear.pth", "deit.pth",
        "16_224.pth", "my_deit_tiny_patch16_224.pth"}) {
    EXPECT_TRUE(isGuess(name)) << name;
  }
}

TEST(DeitIdentification, TheActivationIsGeluUnlessTheUserOrTheFileSaysRelu) {
  Checkpoint checkpoint = zeros("deit_tiny_patch16_224");
  ModelRequest request;
  EXPECT_EQ(identifyModel(checkpoint, request).setting("activation")->value, "gelu");
  EXPECT_EQ(identifyModel(checkpoint, request).mechanismNote(), "");
  request.activation = "relu";
  const ModelSummary asked = identifyModel(checkpoint, request);
  EXPECT_EQ(asked.setting("activation")->value, "relu");
  EXPECT_TRUE(asked.counterfactual);
  EXPECT_EQ(asked.mechanismNote(), "with ReLU, not what was trained");
  checkpoint.metadata["activation"] = "relu";
  EXPECT_FALSE(identifyModel(checkpoint, request).counterfactual);
  EXPECT_EQ(identifyModel(checkpoint).setting("activation")->value, "relu");
  request.activation = "tanh";
  EXPECT_THROW(identifyModel(checkpoint, request), ModelError);
}

TEST(DeitIdentification, AnArchitectureIsCheckedAndSaysNothingOfSima) {
  ModelRequest request;
  request.architecture = "deit_tiny_patch16_224";
  Checkpoint checkpoint = zeros("deit_tiny_patch16_224");
  checkpoint.path = "sima.pth";
  EXPECT_EQ(identifyModel(checkpoint, request).mechanism, "sima");
  request.architecture = "deit_small_patch16_224";
  EXPECT_THROW(identifyModel(checkpoint, request), ModelError);
}

TEST(DeitIdentification, NoOtherPublishedModelIsTakenForIt) {
  for (const auto& [variant, layout] : publishedLayouts().items()) {
    if (variant.find("deit") == 0) continue;
    SCOPED_TRACE(variant);
    try {
      EXPECT_NE(identifyModel(zeros(variant)).family, "deit");
    } catch (const ModelError&) {
      // Of a family that is not known here.
    }
  }
}

TEST(DeitIdentification, ADamagedNumberMakesNoThousandsOfBlocks) {
  Checkpoint checkpoint = zeros("deit_tiny_patch16_224");
  checkpoint.state.insert("blocks.9998.norm1.weight", torch::zeros({192}));
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_EQ(summary.variant, "deit_tiny_patch16_224");
  EXPECT_THAT(summary.unexpected, ElementsAre("blocks.9998.norm1.weight"));
}

TEST(DeitIdentification, RelativesThatComputeSomethingElseAreNotTakenForIt) {
  for (const char* name :
       {"blocks.0.gamma_1", "pre_logits.fc.weight", "blocks.0.attn.relative_position_bias_table"}) {
    SCOPED_TRACE(name);
    Checkpoint checkpoint = zeros("deit_tiny_patch16_224");
    checkpoint.state.insert(name, torch::zeros({192}));
    EXPECT_THROW(identifyModel(checkpoint), ModelError);
  }
}

}  // namespace
}  // namespace softscope
