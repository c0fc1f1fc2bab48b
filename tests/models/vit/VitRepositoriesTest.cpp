#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/network/Network.h"
#include "models/OpenModel.h"
#include "models/vit/VitModel.h"
#include "models/vit/VitPositions.h"
#include "tests/core/ErrorMessage.h"
#include "tests/models/identify/GuessedOptions.h"
#include "tests/models/vit/SmallVit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

// Networks of repositories that share timm's names and compute something else, or are stored
// otherwise.

using test::guessedOptions;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr PlainVit smallSizes{.width = 64, .depth = 2, .side = 4};

void addTensor(Checkpoint& checkpoint, const std::string& name,
               const std::vector<std::int64_t>& shape) {
  checkpoint.state.insert(name, torch::zeros({1}).expand(shape));
}

/// Adds tensors of the width of tokens to both blocks.
void addToBlocks(Checkpoint& checkpoint, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    for (const char* block : {"blocks.0.", "blocks.1."}) addTensor(checkpoint, block + name, {64});
  }
}

std::string refusalOf(const Checkpoint& checkpoint, const ModelRequest& request = {}) {
  return test::messageOf<ModelError>([&] { identifyModel(checkpoint, request); });
}

ModelRequest sized(const std::string& size) {
  ModelRequest request;
  request.size = size;
  return request;
}

/// Returns BEiT with a table of relative positions in every block, and layer scales.
Checkpoint smallBeit() {
  Checkpoint checkpoint =
      plainVit({.width = 64, .depth = 2, .queryKeyValueBias = false, .side = 4});
  Checkpoint beit;
  beit.path = "beit.pth";
  for (const StateDict::Entry& entry : checkpoint.state.entries()) {
    if (entry.name != "pos_embed") beit.state.insert(entry.name, entry.tensor);
  }
  addToBlocks(beit, {"gamma_1", "gamma_2", "attn.q_bias", "attn.v_bias"});
  for (const char* block : {"blocks.0.", "blocks.1."}) {
    addTensor(beit, std::string(block) + "attn.relative_position_bias_table", {7 * 7 + 3, 2});
  }
  return beit;
}

TEST(VitRepositories, HowPositionsAreResizedIsAskedOfPicturesOfAnotherSize) {
  const Checkpoint bare = plainVit(smallSizes);
  for (const ModelRequest& request : {ModelRequest{}, sized("64x64")}) {
    const ModelSummary own = identifyModel(bare, request);
    EXPECT_THAT(guessedOptions(own), Not(Contains("position-resize")));
    EXPECT_FALSE(own.setting("position-resize")->isAssumedAt(64, 64));
    EXPECT_TRUE(own.setting("position-resize")->isAssumedAt(64, 96));
    EXPECT_THAT(own.setting("position-resize")->source, HasSubstr("other sizes than 64x64"));
  }
  for (const char* size : {"96", "64x96", "full"}) {
    const ModelSummary other = identifyModel(bare, sized(size));
    EXPECT_THAT(guessedOptions(other), Contains("position-resize")) << size;
    EXPECT_THAT(other.setting("position-resize")->choices,
                ElementsAre("antialiased", "plain", "offset"));
  }
  Checkpoint told = bare;
  told.metadata["position-resize"] = "offset";
  EXPECT_EQ(identifyModel(told).setting("position-resize")->value, "offset");
  told = bare;
  told.metadata["input_size"] = "96";
  EXPECT_THAT(guessedOptions(identifyModel(told)), Contains("position-resize"));
  ModelRequest chosen;
  chosen.positionResize = "plain";
  EXPECT_EQ(identifyModel(bare, chosen).setting("position-resize")->source,
            "chosen with --position-resize");
  EXPECT_FALSE(identifyModel(bare, chosen).counterfactual);
  const Checkpoint named = plainVit({.width = 384}, "vit_small_patch16_224.pth");
  EXPECT_THAT(guessedOptions(identifyModel(named, sized("96"))), Not(Contains("position-resize")));
}

TEST(VitRepositories, PartsOfAPretrainingTellHowPositionsAreResized) {
  for (const auto& [part, resize] : std::vector<std::pair<std::string, std::string>>{
           {"head.last_layer.weight_v", "offset"}, {"masked_embed", "offset"}}) {
    Checkpoint checkpoint = plainVit(smallSizes);
    addTensor(checkpoint, part, {1, 64});
    const ModelSummary summary = identifyModel(checkpoint, sized("96"));
    EXPECT_EQ(summary.setting("position-resize")->value, resize) << part;
    EXPECT_THAT(guessedOptions(summary), Not(Contains("position-resize"))) << part;
    EXPECT_THAT(summary.foreign, IsEmpty()) << part;
  }
  Checkpoint behind = plainVit(smallSizes);
  behind.beside = {"head.mlp.0.weight", "head.last_layer.weight_v"};
  EXPECT_EQ(identifyModel(behind, sized("96")).setting("position-resize")->value, "offset");
  Checkpoint msn = plainVit(smallSizes);
  addTensor(msn, "fc.fc1.weight", {40, 64});
  addTensor(msn, "fc.fc2.weight", {16, 40});
  for (const char* part : {"weight", "bias", "running_mean", "running_var"}) {
    addTensor(msn, std::string("fc.bn1.") + part, {40});
  }
  const ModelSummary summary = identifyModel(msn);
  EXPECT_EQ(summary.setting("position-resize")->value, "plain");
  EXPECT_THAT(summary.foreign, IsEmpty());
}

TEST(VitRepositories, Dinov2OfOtherSizesMayResizeOtherwiseThanThePublishedOnes) {
  Checkpoint checkpoint = plainVit(smallSizes);
  addToBlocks(checkpoint, {"ls1.gamma", "ls2.gamma"});
  addTensor(checkpoint, "mask_token", {1, 64});
  EXPECT_EQ(identifyModel(checkpoint, sized("96")).setting("position-resize")->value, "offset");
  EXPECT_THAT(guessedOptions(identifyModel(checkpoint, sized("96"))), Contains("position-resize"));
  addTensor(checkpoint, "register_tokens", {1, 4, 64});
  const ModelSummary summary = identifyModel(checkpoint, sized("96"));
  EXPECT_EQ(summary.family, "dinov2");
  EXPECT_EQ(summary.setting("position-resize")->value, "antialiased");
  EXPECT_THAT(guessedOptions(summary), Contains("position-resize"));
}

/// Facebook's class of positions, written anew.
torch::Tensor anglesOfFacebook(const TokenGrid& grid, std::pair<int, int> sides,
                               const torch::Tensor& periods) {
  const auto axis = [&](int count, int side) {
    return (torch::arange(0.5, count, torch::TensorOptions(torch::kFloat32)) / side) * 2.0 - 1.0;
  };
  const torch::Tensor rows = axis(grid.height, sides.first);
  const torch::Tensor columns = axis(grid.width, sides.second);
  const torch::Tensor places = at::stack(
      {rows.repeat_interleave(grid.width, std::int64_t{0}), columns.repeat({grid.height})}, 1);
  const torch::Tensor angles = (places.unsqueeze(2) * (2 * std::numbers::pi) / periods).flatten(1);
  const torch::Tensor both = at::cat({angles, angles}, 1);
  return at::stack({both.cos(), both.sin()});
}

using Normalization = RotaryPositions::Normalization;

torch::Tensor anglesOf(Normalization normalization, torch::ScalarType precision) {
  const RotaryPositions rotary{.form = RotaryPositions::Form::Halves,
                               .normalization = normalization,
                               .precision = precision};
  return rotary.angles({3, 5}, 16, torch::tensor({1.0f, 2.5f, 7.0f, 31.0f}),
                       torch::TensorOptions(torch::kFloat32));
}

TEST(VitRepositories, Dinov3RotatesByTheSidesThatItsConfigurationSays) {
  const std::vector<std::pair<Normalization, std::pair<int, int>>> cases{
      {Normalization::Separate, {3, 5}},
      {Normalization::Max, {5, 5}},
      {Normalization::Min, {3, 3}}};
  for (const auto& [normalization, sides] : cases) {
    const torch::Tensor expected =
        anglesOfFacebook({3, 5}, sides, torch::tensor({1.0f, 2.5f, 7.0f, 31.0f}));
    const torch::Tensor angles = anglesOf(normalization, torch::kFloat32);
    EXPECT_LT((angles - expected).abs().max().item<float>(), 1e-5)
        << sides.first << " x " << sides.second;
  }
}

/// Facebook's class gave these cosines of token 6 and sines of token 13 with dtype=torch.bfloat16.
TEST(VitRepositories, Dinov3RotatesInHalfPrecisionIfItsConfigurationSaysSo) {
  const torch::Tensor sines =
      torch::tensor({-0.8671875f, 0.99609375f, 0.5625f, 0.134765625f, 0.59765625f, 0.83984375f,
                     0.349609375f, 0.08056640625f});
  const torch::Tensor cosines =
      torch::tensor({1.0f, 1.0f, 1.0f, 1.0f, -0.80078125f, 0.5390625f, 0.9375f, 0.99609375f});
  const torch::Tensor angles = anglesOf(Normalization::Separate, torch::kBFloat16);
  const auto differenceFrom = [&](const torch::Tensor& expected, std::int64_t part,
                                  std::int64_t token) {
    return (angles[part][token].slice(0, 0, 8) - expected).abs().max().item<float>();
  };
  EXPECT_EQ(differenceFrom(cosines, 0, 6), 0);
  EXPECT_EQ(differenceFrom(sines, 1, 13), 0);
}

Checkpoint smallDinov3(torch::ScalarType periods) {
  Checkpoint plain = plainVit(smallSizes);
  Checkpoint checkpoint;
  checkpoint.path = "dinov3.pth";
  for (const StateDict::Entry& entry : plain.state.entries()) {
    if (entry.name != "pos_embed") checkpoint.state.insert(entry.name, entry.tensor);
  }
  checkpoint.state.insert("rope_embed.periods", torch::zeros({4}, torch::TensorOptions(periods)));
  return checkpoint;
}

TEST(VitRepositories, WhatDinov3RotatesByIsAssumedOfUnpublishedSizes) {
  const ModelSummary plain = identifyModel(smallDinov3(torch::kFloat32));
  EXPECT_EQ(plain.family, "dinov3");
  EXPECT_THAT(guessedOptions(plain), Contains("pos_embed_rope_normalize_coords"));
  EXPECT_EQ(plain.setting("pos_embed_rope_dtype"), nullptr) << "its periods tell it";
  const ModelSummary half = identifyModel(smallDinov3(torch::kBFloat16));
  EXPECT_EQ(half.setting("pos_embed_rope_dtype")->value, "bf16");
  EXPECT_THAT(guessedOptions(half), Contains("pos_embed_rope_dtype"));
  Checkpoint told = smallDinov3(torch::kFloat32);
  told.metadata["pos_embed_rope_normalize_coords"] = "max";
  EXPECT_EQ(identifyModel(told).setting("pos_embed_rope_normalize_coords")->value, "max");
  told.metadata["pos_embed_rope_normalize_coords"] = "none";
  EXPECT_THAT(refusalOf(told), HasSubstr("separate, max or min"));
}

TEST(VitRepositories, EpsilonAndScaleOfBeitAreAssumedOfUnpublishedSizes) {
  const ModelSummary summary = identifyModel(smallBeit());
  EXPECT_EQ(summary.family, "beit");
  EXPECT_THAT(guessedOptions(summary), AllOf(Contains("epsilon"), Contains("qk_scale")));
  ModelRequest request;
  request.epsilon = "1e-3";
  EXPECT_FALSE(identifyModel(smallBeit(), request).counterfactual);
}

TEST(VitRepositories, LayersOfBeitsTrainingAreHarmlessAndOptionsOfData2vecAreNamed) {
  Checkpoint pretrained = smallBeit();
  addTensor(pretrained, "cls_pt_layers.0.attn.qkv.weight", {192, 64});
  EXPECT_THAT(identifyModel(pretrained).foreign, IsEmpty());
  Checkpoint weighed = smallBeit();
  addTensor(weighed, "layer_log_weights", {2});
  EXPECT_THAT(refusalOf(weighed), HasSubstr("learn_layer_weights"));
  Checkpoint linear;
  linear.path = "linear.pth";
  const Checkpoint beit = smallBeit();
  for (const StateDict::Entry& entry : beit.state.entries()) {
    if (!entry.name.starts_with("norm.")) linear.state.insert(entry.name, entry.tensor);
  }
  EXPECT_THAT(refusalOf(linear), HasSubstr("linear_classifier"));
}

TEST(VitRepositories, BlocksWithBeitsScalesAndWithoutItsTablesArePlain) {
  Checkpoint deit = plainVit(smallSizes);
  addTensor(deit, "pos_embed", {1, 16, 64});
  addToBlocks(deit, {"gamma_1", "gamma_2"});
  const ModelSummary summary = identifyModel(deit);
  EXPECT_EQ(summary.family, "vit");
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_THAT(summary.unexpected, IsEmpty());
  EXPECT_EQ(summary.transform.height, 64) << "DeiT III has positions for patches alone";
  EXPECT_THAT(guessedOptions(summary), Not(Contains("prefix-positions")));
  Checkpoint biased = plainVit({.width = 64, .depth = 2, .queryKeyValueBias = false, .side = 4});
  addToBlocks(biased, {"gamma_1", "gamma_2", "attn.q_bias", "attn.v_bias"});
  EXPECT_EQ(identifyModel(biased).family, "eva");
  EXPECT_THAT(identifyModel(biased).missing, IsEmpty());
  EXPECT_THAT(identifyModel(biased).unexpected, IsEmpty());
}

TEST(VitRepositories, BlocksWithTwoAttentionsAreNotOpenedAsHalfOfThem) {
  Checkpoint checkpoint = plainVit(smallSizes);
  for (const char* block : {"blocks.0.", "blocks.1."}) {
    const std::string within = block;
    addTensor(checkpoint, within + "attn1.qkv.weight", {192, 64});
    addTensor(checkpoint, within + "attn1.proj.weight", {64, 64});
    addTensor(checkpoint, within + "mlp1.fc1.weight", {256, 64});
  }
  addToBlocks(checkpoint, {"norm11.weight", "norm21.weight"});
  EXPECT_THAT(refusalOf(checkpoint), HasSubstr("attentions run side by side"));
  ModelRequest request;
  request.ignoresUnexpected = true;
  EXPECT_NE(refusalOf(checkpoint, request), "");
  addToBlocks(checkpoint, {"gamma_1", "gamma_1_1"});
  EXPECT_THAT(refusalOf(checkpoint), HasSubstr("attentions run side by side"));
  EXPECT_NE(refusalOf(checkpoint, request), "");
}

TEST(VitRepositories, ResMlpIsToldToHaveNoAttention) {
  Checkpoint checkpoint;
  checkpoint.path = "resmlp.pth";
  addTensor(checkpoint, "patch_embed.proj.weight", {64, 3, 16, 16});
  addToBlocks(checkpoint, {"gamma_1", "gamma_2", "norm1.alpha", "norm1.beta", "norm2.alpha"});
  for (const char* block : {"blocks.0.", "blocks.1."}) {
    addTensor(checkpoint, std::string(block) + "attn.weight", {16, 16});
    addTensor(checkpoint, std::string(block) + "mlp.fc1.weight", {256, 64});
  }
  EXPECT_THAT(refusalOf(checkpoint), HasSubstr("ResMLP, a network without attention"));
}

TEST(VitRepositories, ALinearProbesBatchNormIsComputed) {
  VitConfiguration configuration = smallVit();
  configuration.classes = 3;
  configuration.positions = 16;
  const auto logitsOf = [&](bool isProbe) {
    configuration.names.headNorm = isProbe ? "head.0" : "";
    configuration.names.head = isProbe ? "head.1" : "head";
    torch::manual_seed(5);
    VitNetwork network(configuration);
    const torch::NoGradGuard noGradient;
    for (const auto& parameter : network.named_parameters()) {
      // Both networks get the same numbers, since these do not depend on names.
      parameter.value().copy_(
          torch::linspace(-0.1, 0.1, parameter.value().numel()).view(parameter.value().sizes()));
    }
    network.eval();
    for (const auto& buffer : network.named_buffers()) {
      if (buffer.key().ends_with("running_mean")) buffer.value().fill_(0.5);
      if (buffer.key().ends_with("running_var")) buffer.value().fill_(4.0);
    }
    return network.forward(torch::ones({1, 3, 64, 64}), nullptr);
  };
  const torch::Tensor plain = logitsOf(false);
  const torch::Tensor probe = logitsOf(true);
  const torch::Tensor weight = torch::linspace(-0.1, 0.1, 3 * 64).view({3, 64});
  const torch::Tensor bias = torch::linspace(-0.1, 0.1, 3);
  const torch::Tensor expected =
      (plain - bias - 0.5 * weight.sum(1)) / std::sqrt(4.0 + 1e-6) + bias;
  EXPECT_LT((probe - expected).abs().max().item<float>(), 1e-5);
}

TEST(VitRepositories, ALinearProbeOpensAndItsEpsilonIsAssumed) {
  Checkpoint checkpoint;
  checkpoint.path = "probe.pth";
  const Checkpoint vit = plainVit(smallSizes);
  for (const StateDict::Entry& entry : vit.state.entries()) {
    const bool isHead = entry.name.starts_with("head.");
    checkpoint.state.insert(isHead ? "head.1." + entry.name.substr(5) : entry.name, entry.tensor);
  }
  addTensor(checkpoint, "head.0.running_mean", {64});
  addTensor(checkpoint, "head.0.running_var", {64});
  checkpoint.state.insert("head.0.num_batches_tracked", torch::zeros({}));
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_EQ(summary.classes, 10);
  EXPECT_THAT(summary.foreign, IsEmpty());
  EXPECT_THAT(guessedOptions(summary), Contains("head_norm_eps"));
  checkpoint.metadata["head_norm_eps"] = "1e-5";
  EXPECT_THAT(guessedOptions(identifyModel(checkpoint)), Not(Contains("head_norm_eps")));
  checkpoint.metadata["head_norm_eps"] = "none";
  EXPECT_THAT(refusalOf(checkpoint),
              AllOf(HasSubstr("says head_norm_eps 'none'"), HasSubstr("at least 0 and below 1")));
}

TEST(VitRepositories, PartTakesTheEncoderOfMaskedAutoencodersUnderTimmsNames) {
  Checkpoint checkpoint = plainVit(smallSizes);
  ModelRequest request;
  request.part = "encoder";
  EXPECT_THAT(refusalOf(checkpoint, request), HasSubstr("whose part is no choice"));
  addTensor(checkpoint, "decoder_pos_embed", {1, 17, 32});
  addTensor(checkpoint, "decoder_embed.weight", {32, 64});
  EXPECT_EQ(refusalOf(checkpoint, request), "");
  EXPECT_EQ(identifyModel(checkpoint).setting("part")->value, "encoder");
  EXPECT_THAT(guessedOptions(identifyModel(checkpoint)), Not(Contains("part")));
}

}  // namespace
}  // namespace softscope
