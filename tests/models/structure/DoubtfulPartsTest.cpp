#include "core/Error.h"
#include "core/analysis/rollout/Rollout.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/Safetensors.h"
#include "core/network/Inspector.h"
#include "core/network/Network.h"
#include "core/query/AttentionValues.h"
#include "core/query/QueryToken.h"
#include "models/OpenModel.h"
#include "models/structure/PositionSines.h"
#include "tests/core/checkpoint/TestFiles.h"
#include "tests/models/Golden.h"
#include "tests/models/structure/HandWrittenCases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using test::HandWrittenCases;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::set<std::string> guessesOf(const ModelSummary& summary) {
  std::set<std::string> options;
  for (const NetworkSetting& setting : summary.undetermined()) options.insert(setting.option);
  return options;
}

/// The checkpoint of a case, with each tensor as `change` makes it.
Checkpoint changed(const std::string& name,
                   const std::function<void(std::string&, torch::Tensor&)>& change) {
  Checkpoint checkpoint = readCheckpoint(HandWrittenCases::request(name, "").path);
  StateDict state;
  for (const StateDict::Entry& entry : checkpoint.state.entries()) {
    std::string key = entry.name;
    torch::Tensor tensor = entry.tensor;
    change(key, tensor);
    state.insert(key, tensor);
  }
  checkpoint.state = std::move(state);
  return checkpoint;
}

/// The checkpoint of a case with a tensor of zeros more in each of its two blocks.
Checkpoint withVector(const std::string& name, const std::string& vector, at::IntArrayRef shape) {
  Checkpoint checkpoint = readCheckpoint(HandWrittenCases::request(name, "").path);
  for (const char* block : {"units.0.", "units.1."}) {
    checkpoint.state.insert(block + vector, torch::zeros(shape));
  }
  return checkpoint;
}

void expectRefused(const Checkpoint& checkpoint, const std::string& said) {
  try {
    identifyModel(checkpoint);
    FAIL() << "opened";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr(said));
  }
}

TEST(DoubtfulParts, TheSizeIsAskedWhereATableGoesOn) {
  const ModelSummary bare = identifyModel(HandWrittenCases::request("buffer_long", ""));
  EXPECT_THAT(guessesOf(bare), Contains("size"));
  EXPECT_THAT(bare.setting("size")->why, HasSubstr("90 rows"));
  Checkpoint checkpoint = readCheckpoint(HandWrittenCases::request("buffer_long", "").path);
  checkpoint.metadata = {{"config.image_size", "56"}};
  const ModelSummary said = identifyModel(checkpoint);
  EXPECT_THAT(guessesOf(said), Not(Contains("size")));
  EXPECT_THAT(guessesOf(said), Contains("prefix-positions"));
  EXPECT_EQ(said.transform.height, 56);
  EXPECT_EQ(said.transform.width, 56);
}

TEST(DoubtfulParts, ATableThatFitsASquareIsNotAsked) {
  const ModelSummary summary = identifyModel(HandWrittenCases::request("scale_gamma", ""));
  EXPECT_THAT(guessesOf(summary), Not(Contains("size")));
  EXPECT_EQ(summary.transform.height, 28);
}

TEST(DoubtfulParts, MorePatchesThanPositionsAreRefused) {
  const auto model = openModel(HandWrittenCases::request("buffer_long", "options"));
  // 90 rows are for the class token and 89 patches: 9 x 9 fit, 10 x 10 do not.
  EXPECT_NO_THROW(model->network().checkInputSize(63, 63));
  EXPECT_THROW(model->network().checkInputSize(70, 70), InspectionError);
}

TEST(DoubtfulParts, SinesAreToldFromLearnedPositions) {
  torch::manual_seed(1);
  for (const SineOrder order : {SineOrder::Interleaved, SineOrder::Halves}) {
    const torch::Tensor sines = sinesOfTokens(5000, 32, order).squeeze(0);
    EXPECT_TRUE(holdsSines(sines));
    EXPECT_TRUE(holdsSines(0.02 * sines.to(torch::kFloat16)));
    EXPECT_FALSE(holdsSines(sines + 0.05 * torch::randn_like(sines)));
  }
  EXPECT_FALSE(holdsSines(torch::randn({50, 32})));
  EXPECT_FALSE(holdsSines(torch::zeros({50, 32})));
  EXPECT_FALSE(
      holdsSines(sinesOfGrid({8, 8}, 32, GridPeriods::OfSimpleVit, SineOrder::Halves).squeeze(0)));
}

TEST(DoubtfulParts, LayerScalesUnderInventedNamesAreAsked) {
  EXPECT_THAT(guessesOf(identifyModel(HandWrittenCases::request("scale_invented_after", ""))),
              Contains("layer-scale"));
  const ModelSummary named = identifyModel(HandWrittenCases::request("scale_gamma", ""));
  EXPECT_THAT(guessesOf(named), Not(Contains("layer-scale")));
  EXPECT_EQ(named.setting("layer-scale")->source, "by their names");
}

TEST(DoubtfulParts, VectorsThatScaleNothingAreRefusedByName) {
  const std::string plain = "sines_halves";
  expectRefused(withVector(plain, "alpha", {24}), "multiplies what the attention adds, or the mlp");
  expectRefused(withVector("scale_gamma", "delta", {24}), "3 vectors of the tokens' width");
  expectRefused(withVector(plain, "look.q_bias", {24}), "look.q_bias");
  expectRefused(withVector(plain, "look.norm.weight", {24}), "3 norms");
  expectRefused(withVector(plain, "look.norm.weight", {6}), "narrower than the tokens");
  expectRefused(withVector(plain, "look.rel_table", {49, 4}), "relative positions");
  expectRefused(withVector(plain, "look.tril", {17, 17}), "masked attention");
}

TEST(DoubtfulParts, AFewRowsThatMayBePositionsAreNotGuessed) {
  const Checkpoint four =
      changed("registers_invented", [](std::string& name, torch::Tensor& tensor) {
        if (name == "embed.weight") tensor = torch::zeros({24, 1, 14, 14});
        if (name == "table") tensor = torch::zeros({0, 24});
      });
  expectRefused(four, "ambiguous parameter");
  Checkpoint said = four;
  said.metadata = {{"image_size", "28"}};
  EXPECT_EQ(identifyModel(said).setting("positions")->value, "learned");
  said.metadata = {{"image_size", "112"}};
  EXPECT_EQ(identifyModel(said).setting("registers")->value, "before");
}

/// Replaces one piece of a name by another.
void replaceIn(std::string& name, const std::string& piece, const std::string& other) {
  const std::size_t at = name.find(piece);
  if (at != std::string::npos) name.replace(at, piece.size(), other);
}

TEST(DoubtfulParts, GammaAndBetaBesideEachOtherAreANorm) {
  const auto checkpoint = changed("sines_halves", [](std::string& name, torch::Tensor&) {
    for (const char* norm : {".a.", ".b."}) {
      replaceIn(name, std::string(norm) + "weight", std::string(norm) + "gamma");
      replaceIn(name, std::string(norm) + "bias", std::string(norm) + "beta");
    }
  });
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_TRUE(summary.missing.empty());
  EXPECT_TRUE(summary.unexpected.empty());
  EXPECT_EQ(summary.setting("layer-scale"), nullptr);
  EXPECT_EQ(summary.setting("norm")->value, "pre");
}

TEST(DoubtfulParts, BuffersOfIndicesTakeNoPart) {
  Checkpoint checkpoint = readCheckpoint(HandWrittenCases::request("scale_gamma", "").path);
  checkpoint.state.insert("position_ids", torch::arange(17).unsqueeze(0));
  EXPECT_TRUE(identifyModel(checkpoint).foreign.empty());
  checkpoint.state.insert("position_ids", torch::arange(17).flip(0).unsqueeze(0));
  expectRefused(checkpoint, "position_ids");
}

TEST(DoubtfulParts, ANormBesideThePatchEmbeddingIsNotTheFinalOne) {
  const auto beside = changed("scale_gamma", [](std::string& name, torch::Tensor&) {
    replaceIn(name, "embed.", "embed.proj.");
    replaceIn(name, "end.", "embed.norm.");
  });
  const auto ofOther = changed(
      "scale_gamma", [](std::string& name, torch::Tensor&) { replaceIn(name, "end.", "ln_pre."); });
  ASSERT_NO_THROW(identifyModel(beside));
  expectRefused(ofOther, "in front of the blocks");
}

TEST(DoubtfulParts, SharedQueriesAndKeysAreNotAnOutput) {
  const auto tied = changed("scale_gamma", [](std::string& name, torch::Tensor& tensor) {
    if (name.ends_with("look.three.weight")) {
      replaceIn(name, "three", "to_qk");
      tensor = torch::zeros({24, 24});
    } else if (name.ends_with("look.three.bias")) {
      replaceIn(name, "three.bias", "to_v.weight");
      tensor = torch::zeros({24, 24});
    }
    replaceIn(name, "look.back", "look.to_out");
  });
  expectRefused(tied, "ambiguous block");
}

TEST(DoubtfulParts, AGatedMlpIsRefusedByName) {
  Checkpoint gated = readCheckpoint(HandWrittenCases::request("scale_gamma", "").path);
  for (const char* block : {"units.0.", "units.1."}) {
    gated.state.insert(std::string(block) + "gate.weight", torch::zeros({36, 24}));
  }
  expectRefused(gated, "gated mlp");
}

TEST(DoubtfulParts, ANormForBothHalvesIsAsked) {
  const auto one = changed("scale_gamma", [](std::string& name, torch::Tensor& tensor) {
    const bool isSecond = name.find(".b.") != std::string::npos;
    if (isSecond) tensor = torch::zeros({0});
  });
  Checkpoint checkpoint = one;
  StateDict kept;
  for (const StateDict::Entry& entry : one.state.entries()) {
    if (entry.tensor.numel() > 0) kept.insert(entry.name, entry.tensor);
  }
  checkpoint.state = kept;
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_THAT(guessesOf(summary), Contains("one-norm"));
  EXPECT_EQ(summary.setting("one-norm")->value, "both");
}

/// The case whose table has 49 rows of patches of 7 x 7: code with a stride of 4 and zeros around
/// pictures of 28 x 28 has them.
Checkpoint strided() {
  return changed("scale_gamma", [](std::string& name, torch::Tensor& tensor) {
    if (name == "table") tensor = torch::zeros({1, 50, 24});
  });
}

TEST(DoubtfulParts, TheStrideIsAskedWhereNoSizeIsSaid) {
  const ModelSummary summary = identifyModel(strided());
  EXPECT_THAT(guessesOf(summary), Contains("stride"));
  EXPECT_THAT(guessesOf(summary), Not(Contains("padding")));
  EXPECT_EQ(summary.setting("stride")->value, "7");
  EXPECT_THAT(summary.setting("stride")->choices, Contains("4"));
  EXPECT_THAT(summary.setting("stride")->why, HasSubstr("49 x 49, an unusual size"));
}

TEST(DoubtfulParts, SizeAndPositionsTellTheStride) {
  Checkpoint said = strided();
  said.metadata = {{"image_size", "28"}};
  const ModelSummary summary = identifyModel(said);
  EXPECT_EQ(summary.setting("stride")->value, "4");
  // A pooling behind a shorter stride leaves as many patches.
  EXPECT_THAT(guessesOf(summary), Contains("stride"));
  EXPECT_THAT(summary.setting("stride")->why, HasSubstr("a pooling behind the patch embedding"));
  // Both 2 and 3 rows of zeros give 7 x 7 patches.
  EXPECT_THAT(guessesOf(summary), Contains("padding"));
  EXPECT_EQ(summary.setting("padding")->choices, (std::vector<std::string>{"3", "2"}));
  EXPECT_EQ(summary.transform.height, 28);
}

TEST(DoubtfulParts, SizeAndPositionsTellThatPatchesDoNotOverlap) {
  Checkpoint said = readCheckpoint(HandWrittenCases::request("scale_gamma", "").path);
  said.metadata = {{"image_size", "28"}};
  const ModelSummary summary = identifyModel(said);
  EXPECT_EQ(summary.setting("stride")->value, "7");
  EXPECT_THAT(guessesOf(summary), Not(Contains("stride")));
}

TEST(DoubtfulParts, AStrideThatSeveralFitIsAsked) {
  // 5 x 5 patches of 7 x 7 on 28 x 28: strides of 5 and of 6 have them.
  Checkpoint said = readCheckpoint(HandWrittenCases::request("overlap", "").path);
  said.metadata = {{"image_size", "28"}};
  const ModelSummary summary = identifyModel(said);
  EXPECT_THAT(guessesOf(summary), Contains("stride"));
  EXPECT_EQ(summary.setting("stride")->choices, (std::vector<std::string>{"5", "6"}));
}

TEST(DoubtfulParts, AChosenSizeTellsTheStrideThatEndsWithThePicture) {
  // 7 x 7 patches of 7 x 7 end with a picture of 31 x 31 if they stand 4 apart.
  ModelRequest request;
  request.size = "31";
  const ModelSummary summary = identifyModel(strided(), request);
  EXPECT_EQ(summary.setting("stride")->value, "4");
  EXPECT_THAT(guessesOf(summary), Not(Contains("size")));
  EXPECT_EQ(withTakenStride(request, summary).stride, "4");
  EXPECT_EQ(withTakenStride(request, summary).size, std::nullopt);
  // A size that the patches do not fill exactly may also be of larger pictures than were trained
  // on.
  request.size = "42";
  EXPECT_EQ(identifyModel(strided(), request).setting("stride")->value, "7");
}

TEST(DoubtfulParts, AChosenSizeLeavesTheStrideInDoubtWherePicturesWouldBeUsual) {
  // 4 x 4 patches of 7 x 7 are of 28 x 28, and end with 16 x 16 if they stand 3 apart.
  const Checkpoint checkpoint = readCheckpoint(HandWrittenCases::request("scale_gamma", "").path);
  ModelRequest request;
  request.size = "16";
  const ModelSummary summary = identifyModel(checkpoint, request);
  EXPECT_EQ(summary.setting("stride")->value, "3");
  EXPECT_THAT(guessesOf(summary), Contains("stride"));
  EXPECT_THAT(summary.setting("stride")->why, HasSubstr("28 x 28"));
}

TEST(DoubtfulParts, PatchesThatOverlapFollowTheSizeOfThePicture) {
  const auto model = openModel(HandWrittenCases::request("overlap", "options"));
  const InputTensor wide{33, 48, std::vector<float>(33 * 48, 0.25f), 1};
  const auto inspection = inspect(*model, wide);
  EXPECT_EQ(inspection->layers.front().attention->description().queryGrid, (TokenGrid{6, 9}));
  EXPECT_THROW(model->network().checkInputSize(6, 28), InspectionError);
  EXPECT_EQ(model->summary().transform.height, 28);
}

/// The same network with its class token, and the position of it, at the other end.
Checkpoint withClassTokenFirst(const std::string& name) {
  return changed(name, [](std::string& key, torch::Tensor& tensor) {
    if (key == "table") tensor = tensor.roll(1, 1);
  });
}

std::shared_ptr<const Model> openedAs(const Checkpoint& checkpoint, const std::string& file,
                                      const std::string& place) {
  writeSafetensors(file, checkpoint.state, {});
  ModelRequest request = HandWrittenCases::request("class_last", "options");
  request.path = file;
  request.classToken = place;
  return openModel(request);
}

TEST(DoubtfulParts, AClassTokenBehindThePatchesAnswersAsOneBeforeThem) {
  const TemporaryFolder folder;
  const Golden last(HandWrittenCases::folder("class_last"),
                    HandWrittenCases::request("class_last", "options"));
  const auto first =
      openedAs(withClassTokenFirst("class_last"), folder.file("first.safetensors"), "first");
  const auto inspected = inspect(*first, last.input());
  EXPECT_LT(difference(inspected->logits, readNpy(last.path("logits.npy"))), 1e-4);
  const AnalysedLayer ofLast{.model = "last",
                             .mechanismNote = {},
                             .inspection = last.inspection,
                             .index = 1,
                             .region = {}};
  const AnalysedLayer ofFirst{
      .model = "first", .mechanismNote = {}, .inspection = inspected, .index = 1, .region = {}};
  const RolloutSettings half{.residual = ResidualWeight::Half};
  for (const int token : {0, 5}) {
    const Rollout behind = rollOut(ofLast, (token + 16) % 17, half);
    const Rollout before = rollOut(ofFirst, token, half);
    EXPECT_TRUE(behind.patches.isApprox(before.patches, 1e-4f));
    EXPECT_TRUE(behind.prefix.isApprox(before.prefix, 1e-4f));
  }
}

TEST(DoubtfulParts, AClassTokenBehindThePatchesIsAskedByItsName) {
  const Golden golden(HandWrittenCases::folder("class_last"),
                      HandWrittenCases::request("class_last", "options"));
  const AttentionMap& map = *golden.inspection->layers.front().attention;
  const AttentionDescription& attention = map.description();
  EXPECT_EQ(attention.suffixTokens, 1);
  EXPECT_EQ(singleTokens(attention, Direction::Rows), 1);
  EXPECT_EQ(classToken(attention, Direction::Rows), 0);
  const PictureQuery query{.x = 0.1, .y = 0.1, .prefixToken = 0};
  const int row = queryToken(attention, PictureExtent(), query);
  EXPECT_EQ(row, 16);
  EXPECT_EQ(singleTokenName(attention, Direction::Rows, row), "class token");
  EXPECT_EQ(singleTokenAt(attention, Direction::Rows, 16), 0);
  EXPECT_EQ(singleTokenAt(attention, Direction::Rows, 3), std::nullopt);
  const AttentionValues values = attentionValues(map, 0, row, Direction::Rows);
  ASSERT_EQ(values.prefix.size(), 1);
  EXPECT_FLOAT_EQ(values.prefix[0], map.row(0, 16)[16]);
  EXPECT_FLOAT_EQ(values.patches[0], map.row(0, 16)[0]);
}

TEST(DoubtfulParts, ANormBehindTheHeadsFirstProductIsRefused) {
  Checkpoint checkpoint = readCheckpoint(HandWrittenCases::request("scale_gamma", "").path);
  StateDict headed;
  for (const StateDict::Entry& entry : checkpoint.state.entries()) {
    std::string name = entry.name;
    if (name == "end.weight") {
      headed.insert("out.0.weight", torch::zeros({24, 24}));
      headed.insert("out.0.bias", torch::zeros({24}));
    }
    replaceIn(name, "end.", "out.1.");
    if (!name.starts_with("out.1.")) replaceIn(name, "out.", "out.2.");
    headed.insert(name, entry.tensor);
  }
  checkpoint.state = headed;
  expectRefused(checkpoint, "behind the first product of the head");
}

TEST(DoubtfulParts, TheAttentionInBlocksOfTimmMayBeAnother) {
  const ModelSummary summary =
      identifyModel(HandWrittenCases::request("timm_blocks_transformer", ""));
  EXPECT_THAT(guessesOf(summary), Contains("attention"));
  EXPECT_THAT(guessesOf(summary), Not(Contains("class-token")));
  EXPECT_THAT(guessesOf(summary), Not(Contains("stride")));
}

TEST(DoubtfulParts, WhereTheFinalNormActsIsAskedWhereItMatters) {
  const ModelSummary mean = identifyModel(HandWrittenCases::request("norm_of_pooled", ""));
  EXPECT_THAT(guessesOf(mean), Contains("final-norm"));
  EXPECT_THAT(mean.setting("final-norm")->choices, Not(Contains("front")));
  const ModelSummary front = identifyModel(HandWrittenCases::request("norm_in_front", ""));
  EXPECT_THAT(front.setting("final-norm")->choices, Contains("front"));
  const ModelSummary behind = identifyModel(HandWrittenCases::request("class_last", ""));
  EXPECT_THAT(guessesOf(behind), Not(Contains("final-norm")));
}

TEST(DoubtfulParts, AStrideThatContradictsSizeAndPositionsIsPassedOver) {
  Checkpoint said = strided();
  const std::pair<const char*, const char*> contradictions[] = {{"config.patch_stride", "11"},
                                                                {"config.patch_padding", "1"}};
  for (const auto& [name, value] : contradictions) {
    said.metadata = {{"image_size", "28"}, {name, value}};
    const ModelSummary summary = identifyModel(said);
    EXPECT_EQ(summary.setting("stride")->value, "4") << name;
    EXPECT_EQ(summary.setting("padding")->choices, (std::vector<std::string>{"3", "2"})) << name;
  }
}

TEST(DoubtfulParts, MasksAreRefusedAndMaskTokensPassedOver) {
  const std::string plain = "sines_halves";
  expectRefused(withVector(plain, "look.mask", {17, 17}),
                "masked attention: 'units.0.look.mask' [17, 17]");
  expectRefused(withVector(plain, "look.attn_mask", {1, 1, 17, 17}), "masked attention");
  for (const auto& shape : {std::vector<std::int64_t>{17, 17}, {1, 17}, {17}}) {
    Checkpoint outside = readCheckpoint(HandWrittenCases::request(plain, "").path);
    outside.state.insert("attn_mask", torch::ones(shape, torch::kBool));
    expectRefused(outside, "masked attention: 'attn_mask'");
  }
  for (const std::int64_t width : {24, 49}) {
    Checkpoint pretrained = readCheckpoint(HandWrittenCases::request(plain, "").path);
    pretrained.state.insert("mask_token", torch::zeros({1, 1, width}));
    EXPECT_TRUE(identifyModel(pretrained).foreign.empty());
  }
}

/// The rows of a packed matrix or its bias in another order of thirds.
torch::Tensor thirdsOf(const torch::Tensor& packed, const std::vector<std::int64_t>& order) {
  std::vector<torch::Tensor> chosen;
  for (const std::int64_t third : order) chosen.push_back(packed.chunk(3)[third]);
  return at::cat(chosen);
}

TEST(DoubtfulParts, OtherPackagesOfQueriesKeysAndValuesAnswerTheSame) {
  const TemporaryFolder folder;
  ModelRequest request = HandWrittenCases::request("scale_gamma", "options");
  const Golden golden(HandWrittenCases::folder("scale_gamma"), request);
  const StateDict own = readCheckpoint(request.path).state;
  const std::vector<std::pair<std::string, std::vector<std::int64_t>>> packages[] = {
      {{"kqv", {1, 0, 2}}}, {{"qk", {0, 1}}, {"v", {2}}}, {{"vq", {2, 0}}, {"k", {1}}}};
  for (const auto& package : packages) {
    StateDict other;
    for (const StateDict::Entry& entry : own.entries()) {
      std::string name = entry.name;
      replaceIn(name, "units.", "layers.");
      replaceIn(name, "look.", "attn.");
      const std::size_t at = name.find("three");
      if (at == std::string::npos) other.insert(name, entry.tensor);
      for (const auto& [letters, thirds] : package) {
        if (at == std::string::npos) break;
        other.insert(name.substr(0, at) + letters + name.substr(at + 5),
                     thirdsOf(entry.tensor, thirds));
      }
    }
    request.path = folder.file(package.front().first + ".safetensors");
    writeSafetensors(request.path, other, {});
    const auto model = openModel(request);
    const auto inspection = inspect(*model, golden.input());
    EXPECT_LT(difference(inspection->logits, readNpy(golden.path("logits.npy"))), 1e-4);
  }
}

TEST(DoubtfulParts, WhatIsDoneWithRandomFeaturesIsAsked) {
  const ModelSummary summary = identifyModel(HandWrittenCases::request("linear_performer", ""));
  EXPECT_THAT(guessesOf(summary), Contains("attention"));
  EXPECT_EQ(summary.setting("attention")->value, "performer");
  EXPECT_THAT(summary.setting("attention")->why, HasSubstr("fast_attention.projection_matrix"));
  const ModelSummary linformer =
      identifyModel(HandWrittenCases::request("linear_linformer_EF", ""));
  EXPECT_THAT(guessesOf(linformer), Not(Contains("attention")));
}

/// The blocks of a file as three whose mlp stands, and runs, in front of the attention: the first
/// mlp and the last attention add nothing.
StateDict withMlpsInFront(const StateDict& own) {
  StateDict turned;
  const auto copy = [&](int block, const std::string& name, int from, const std::string& source) {
    const bool isBeyond = from < 0 || from > 1;
    const torch::Tensor tensor =
        *own.find("units." + std::to_string(std::clamp(from, 0, 1)) + "." + source);
    turned.insert("units." + std::to_string(block) + "." + name,
                  isBeyond ? torch::zeros_like(tensor) : tensor);
  };
  for (const StateDict::Entry& entry : own.entries()) {
    if (!entry.name.starts_with("units.")) turned.insert(entry.name, entry.tensor);
  }
  for (int block = 0; block < 3; ++block) {
    copy(block, "gamma_1", block - 1, "gamma_2");
    copy(block, "gamma_2", block, "gamma_1");
    for (const char* layer : {"b.", "up.", "down.", "a.", "look.three.", "look.back."}) {
      const bool isOfMlp = std::string(layer).find("look") == std::string::npos && *layer != 'a';
      for (const char* tensor : {"weight", "bias"}) {
        const std::string name = std::string(layer) + tensor;
        copy(block, name, isOfMlp ? block - 1 : block, name);
      }
    }
  }
  return turned;
}

TEST(DoubtfulParts, AnMlpInFrontOfTheAttentionRunsFirst) {
  const TemporaryFolder folder;
  ModelRequest request = HandWrittenCases::request("scale_gamma", "options");
  const Golden golden(HandWrittenCases::folder("scale_gamma"), request);
  EXPECT_EQ(golden.model->summary().setting("first-half"), nullptr);
  const StateDict turned = withMlpsInFront(readCheckpoint(request.path).state);
  request.path = folder.file("turned.safetensors");
  writeSafetensors(request.path, turned, {});
  const auto logitsOf = [&] { return inspect(*openModel(request), golden.input())->logits; };
  const ModelSummary summary = identifyModel(request);
  EXPECT_THAT(guessesOf(summary), Contains("first-half"));
  EXPECT_LT(difference(logitsOf(), readNpy(golden.path("logits.npy"))), 1e-4);
  request.firstHalf = "attention";
  EXPECT_GT(difference(logitsOf(), readNpy(golden.path("logits.npy"))), 1e-2);
}

TEST(DoubtfulParts, ReversibleBlocksAreRefusedByName) {
  const Checkpoint reversible = changed("sines_halves", [](std::string& name, torch::Tensor&) {
    if (!name.starts_with("units.")) return;
    const std::size_t part = std::string("units.0.").size();
    const bool isOfAttention =
        name.substr(part).starts_with("a.") || name.substr(part).starts_with("look.");
    name.insert(part, isOfAttention ? "f.net." : "g.net.");
  });
  expectRefused(reversible, "reversible blocks: the halves 'units.0.f.' and 'units.0.g.'");
}

/// vit-pytorch's ViT with another table of positions, and with patches of this many values.
Checkpoint vitPytorchOf(std::int64_t rows, std::int64_t values) {
  return changed("vp_vit", [&](std::string& name, torch::Tensor& tensor) {
    if (name == "pos_embedding") tensor = torch::zeros({rows, 32});
    if (name.starts_with("to_patch_embedding.1.")) tensor = torch::ones({values});
    if (name == "to_patch_embedding.2.weight") tensor = torch::zeros({32, values});
  });
}

TEST(DoubtfulParts, AClassTokenOfVitPytorchAlwaysHasAPosition) {
  const ModelSummary wide = identifyModel(vitPytorchOf(25, 192));
  EXPECT_EQ(wide.transform.height, 32);
  EXPECT_EQ(wide.transform.width, 48);
  EXPECT_THAT(guessesOf(wide), Contains("size"));
  EXPECT_EQ(wide.setting("prefix-positions")->value, "1");
  ModelRequest request;
  request.prefixPositions = "0";
  EXPECT_EQ(identifyModel(vitPytorchOf(25, 192), request).transform.height, 40);
  EXPECT_THAT(guessesOf(identifyModel(vitPytorchOf(17, 192))), Not(Contains("prefix-positions")));
}

TEST(DoubtfulParts, ATableOfASquareBesideAClassTokenIsAsked) {
  ModelRequest request = HandWrittenCases::request("class_last_without_position", "");
  EXPECT_THAT(guessesOf(identifyModel(request)), Contains("prefix-positions"));
  EXPECT_THAT(guessesOf(identifyModel(request)), Contains("size"));
  request.prefixPositions = "0";
  request.size = "28x28";
  EXPECT_EQ(identifyModel(request).setting("prefix-positions")->value, "0");
}

TEST(DoubtfulParts, PatchesOfFourChannelsAreNotSilentlyGrey) {
  Checkpoint four = vitPytorchOf(17, 256);
  EXPECT_THAT(guessesOf(identifyModel(four)), Contains("in_chans"));
  for (const char* key : {"in_chans", "config.patch_size"}) {
    four.metadata = {{key, std::string(key) == "in_chans" ? "4" : "8"}};
    const ModelSummary said = identifyModel(four);
    EXPECT_EQ(said.transform.channels, 4) << key;
    EXPECT_EQ(said.transform.height, 32) << key;
    EXPECT_THAT(guessesOf(said), Not(Contains("in_chans"))) << key;
  }
  EXPECT_EQ(identifyModel(vitPytorchOf(17, 192)).setting("in_chans"), nullptr);
}

TEST(DoubtfulParts, SimpleVitAddsSinesUnlessToldOtherwise) {
  const ModelSummary summary = identifyModel(HandWrittenCases::request("vp_simple_vit", ""));
  EXPECT_EQ(summary.setting("positions")->value, "sincos2d");
  EXPECT_THAT(guessesOf(summary), Contains("positions"));
}

/// Returns why a network is refused beside a config.json; empty if it opens.
std::string refusalBeside(const std::string& configuration) {
  const TemporaryFolder folder;
  ModelRequest request;
  request.path = folder.file("checkpoint.pth");
  std::filesystem::copy_file(HandWrittenCases::request("vp_vit", "").path, request.path);
  writeBytes(folder.file("config.json"), configuration);
  try {
    identifyModel(request);
    return {};
  } catch (const ModelError& error) {
    return error.what();
  }
}

TEST(DoubtfulParts, AConfigurationOfWindowsFramesOrAnotherNetworkIsBelieved) {
  EXPECT_THAT(refusalBeside(R"({"window_block_indices": [0]})"), HasSubstr("window_block_indices"));
  EXPECT_THAT(refusalBeside(R"({"window_size": 2})"), HasSubstr("window_size '2'"));
  EXPECT_THAT(refusalBeside(R"({"tubelet_size": [2, 8, 8]})"), HasSubstr("tubelet_size"));
  EXPECT_THAT(refusalBeside(R"({"frame_patch_size": 4})"), HasSubstr("frame_patch_size"));
  EXPECT_THAT(refusalBeside(R"({"frequency_stride": 10})"), HasSubstr("frequency_stride"));
  EXPECT_THAT(refusalBeside(R"({"model_type": "lw_detr_vit"})"), HasSubstr("is LW-DETR's"));
  EXPECT_EQ(refusalBeside(R"({"window_size": 4, "num_frames": 1, "window_block_indices": []})"),
            "");
  EXPECT_EQ(refusalBeside(R"({"window_size": 2, "hidden_size": 64})"), "") << "of another width";
}

}  // namespace
}  // namespace softscope
