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
#include "tests/core/ErrorMessage.h"
#include "tests/core/checkpoint/TestFiles.h"
#include "tests/models/Golden.h"
#include "tests/models/identify/ExtendedCheckpoint.h"
#include "tests/models/structure/ChangedCases.h"
#include "tests/models/structure/HandWrittenCases.h"
#include "tests/models/vit/SmallVit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
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
  return withTensors(readCheckpoint(HandWrittenCases::request(name, "").path), change);
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
  EXPECT_THAT(guessesOf(summary), Contains("norm-kind"));
  EXPECT_EQ(summary.setting("norm-kind")->value, "layer");
}

/// The checkpoint of `sines_halves` with other names of its norms' weights and biases.
Checkpoint withNormNames(const std::string& weight, const std::string& bias) {
  return changed("sines_halves", [&](std::string& name, torch::Tensor&) {
    const std::pair<const char*, const char*> modules[] = {{".a.", ".norm1."}, {".b.", ".norm2."}};
    for (const auto& [own, other] : modules) {
      replaceIn(name, std::string(own) + "weight", other + weight);
      replaceIn(name, std::string(own) + "bias", other + bias);
    }
  });
}

TEST(DoubtfulParts, NormsUnderOtherNamesAreAskedWhatTheyCompute) {
  const std::tuple<const char*, const char*, const char*> names[] = {
      {"g", "b", "layer"},       {"scale", "shift", "layer"}, {"alpha", "beta", "layer"},
      {"gain", "bias", "layer"}, {"a_2", "b_2", "std"},       {"w", "b", "layer"},
      {"alpha", "bias", "std"}};
  for (const auto& [weight, bias, usual] : names) {
    const ModelSummary summary = identifyModel(withNormNames(weight, bias));
    EXPECT_TRUE(summary.missing.empty()) << weight;
    ASSERT_THAT(guessesOf(summary), Contains("norm-kind")) << weight;
    EXPECT_EQ(summary.setting("norm-kind")->value, usual) << weight;
  }
  // Only modules that are called norms have them under any names.
  expectRefused(changed("sines_halves",
                        [](std::string& name, torch::Tensor&) {
                          replaceIn(name, ".a.weight", ".a.scale");
                          replaceIn(name, ".a.bias", ".a.shift");
                        }),
                "tensor without a place");
}

TEST(DoubtfulParts, PlainNormsMayBeRmsNorms) {
  const ModelSummary summary = identifyModel(HandWrittenCases::request("mha_plain_norms", ""));
  EXPECT_EQ(summary.setting("plain-norms")->choices,
            (std::vector<std::string>{"no", "yes", "rms"}));
  ModelRequest request = HandWrittenCases::request("mha_plain_norms", "options");
  const Golden layer(HandWrittenCases::folder("mha_plain_norms"), request);
  request.plainNorms = "rms";
  const auto inspection = inspect(*openModel(request), layer.input());
  EXPECT_GT(difference(inspection->logits, readNpy(layer.path("logits.npy"))), 1e-3);
}

TEST(DoubtfulParts, AnOutputThatIsNotCalledOneIsListed) {
  const auto called = [](const std::string& output) {
    return changed("sines_halves", [&](std::string& name, torch::Tensor&) {
      replaceIn(name, ".back.", "." + output + ".");
    });
  };
  EXPECT_THAT(guessesOf(identifyModel(called("back"))), Not(Contains("output")));
  EXPECT_THAT(guessesOf(identifyModel(called("to_out"))), Not(Contains("output")));
  const ModelSummary summary = identifyModel(called("thing"));
  ASSERT_THAT(guessesOf(summary), Contains("output"));
  EXPECT_EQ(summary.setting("output")->value, "units.0.look.thing");
}

TEST(DoubtfulParts, BlocksInAnyOrderAreAlike) {
  Checkpoint checkpoint = readCheckpoint(HandWrittenCases::request("scale_gamma", "").path);
  std::vector<StateDict::Entry> entries = checkpoint.state.entries();
  std::ranges::reverse(entries);
  std::ranges::stable_partition(entries, [](const StateDict::Entry& entry) {
    return entry.name.find("units.1.") == std::string::npos;
  });
  std::ranges::sort(entries.begin(),
                    std::ranges::find_if(entries,
                                         [](const auto& entry) {
                                           return entry.name.find("units.1.") != std::string::npos;
                                         }),
                    {}, &StateDict::Entry::name);
  StateDict shuffled;
  for (const StateDict::Entry& entry : entries) {
    std::string name = entry.name;
    replaceIn(name, ".a.", ".norm1.");
    replaceIn(name, ".b.", ".norm2.");
    shuffled.insert(name, entry.tensor);
  }
  checkpoint.state = shuffled;
  EXPECT_TRUE(identifyModel(checkpoint).missing.empty());
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

/// The network of `scale_gamma` with matrices of their own for queries, keys and values, made by
/// `make` of its packed one, in the file of this name.
template <typename Make>
std::shared_ptr<const Model> openedWithMatrices(const std::string& file, ModelRequest request,
                                                const Make& make) {
  const StateDict own = readCheckpoint(request.path).state;
  StateDict other;
  for (const StateDict::Entry& entry : own.entries()) {
    std::string name = entry.name;
    replaceIn(name, "units.", "layers.");
    const std::size_t at = name.find("look.");
    if (at == std::string::npos) {
      other.insert(name, entry.tensor);
    } else {
      make(name.substr(0, at) + "attn.", name.substr(at + 5), entry.tensor, other);
    }
  }
  request.path = file;
  writeSafetensors(file, other, {});
  return openModel(request);
}

TEST(DoubtfulParts, NumbersOfAListMakeQueriesKeysAndValues) {
  const TemporaryFolder folder;
  ModelRequest request = HandWrittenCases::request("scale_gamma", "options");
  const Golden golden(HandWrittenCases::folder("scale_gamma"), request);
  const std::pair<const char*, std::vector<std::int64_t>> orders[] = {{"3hd", {0, 1, 2}},
                                                                      {"vkq", {2, 1, 0}}};
  for (const auto& [order, thirds] : orders) {
    ModelRequest own = request;
    own.qkv = order;
    const auto model =
        openedWithMatrices(folder.file(std::string(order) + ".safetensors"), own,
                           [&, &places = thirds](const std::string& path, std::string name,
                                                 const torch::Tensor& tensor, StateDict& state) {
                             const std::string part = name.substr(name.find('.'));
                             if (name.starts_with("back"))
                               return state.insert(path + "linears.3" + part, tensor);
                             for (std::size_t i = 0; i < places.size(); ++i) {
                               state.insert(path + "linears." + std::to_string(i) + part,
                                            thirdsOf(tensor, {places[i]}));
                             }
                           });
    const auto inspection = inspect(*model, golden.input());
    EXPECT_LT(difference(inspection->logits, readNpy(golden.path("logits.npy"))), 1e-4) << order;
  }
}

TEST(DoubtfulParts, HeadsThatShareKeysComputeAsThoseWithCopiesOfThem) {
  const TemporaryFolder folder;
  const ModelRequest request = HandWrittenCases::request("scale_gamma", "options");
  const InputTensor input = Golden(HandWrittenCases::folder("scale_gamma"), request).input();
  const int heads = request.heads->last();
  const std::int64_t width = 24 / heads;
  const auto opened = [&](const std::string& file, const ModelRequest& asked, bool areCopied) {
    return openedWithMatrices(
        folder.file(file), asked,
        [&](const std::string& path, std::string name, const torch::Tensor& tensor,
            StateDict& state) {
          const std::string part = name.substr(name.find('.'));
          if (name.starts_with("back")) return state.insert(path + "out" + part, tensor);
          state.insert(path + "q" + part, thirdsOf(tensor, {0}));
          for (const std::int64_t third : {1, 2}) {
            const torch::Tensor shared = thirdsOf(tensor, {third}).slice(0, 0, 2 * width);
            std::vector<torch::Tensor> copies;
            for (int head = 0; head < heads; ++head) {
              const std::int64_t group = head / (heads / 2);
              copies.push_back(shared.slice(0, group * width, (group + 1) * width));
            }
            state.insert(path + (third == 1 ? "k" : "v") + part,
                         areCopied ? at::cat(copies) : shared);
          }
        });
  };
  const auto copied = inspect(*opened("copied.safetensors", request, true), input);
  const auto shared = inspect(*opened("shared.safetensors", request, false), input);
  ASSERT_EQ(shared->logits.size(), copied->logits.size());
  for (std::size_t i = 0; i < shared->logits.size(); ++i) {
    EXPECT_NEAR(shared->logits[i], copied->logits[i], 1e-5);
  }
  ModelRequest narrow = request;
  narrow.heads = HeadCounts(1);
  EXPECT_THROW(opened("narrow.safetensors", narrow, false), ModelError);
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

/// The logits of a network whose two attentions are changed by `change`, tensor after tensor.
FloatArray logitsOfChanged(const Checkpoint& own, const test::Options& options,
                           const std::function<void(std::string, torch::Tensor&)>& change) {
  Checkpoint changed = own;
  changed.state = {};
  for (const StateDict::Entry& entry : own.state.entries()) {
    torch::Tensor tensor = entry.tensor.to(torch::kFloat).clone();
    if (entry.name.starts_with("units.")) change(entry.name.substr(8), tensor);
    changed.state.insert(entry.name, tensor);
  }
  return {{}, test::answerOf(changed, options)->logits};
}

TEST(DoubtfulParts, LinformersLinearsMayHaveBiases) {
  test::Shapes added;
  for (const std::string block : {"units.0.", "units.1."}) {
    for (const std::string layer : {"look.E.", "look.F."}) {
      added.emplace_back(block + layer + "weight", std::vector<std::int64_t>{5, 17});
      added.emplace_back(block + layer + "bias", std::vector<std::int64_t>{5});
    }
  }
  const Checkpoint own = test::plainNetwork({}, added);
  const auto logitsWith = [&](double bias, double outside) {
    return logitsOfChanged(own, {{"heads", "4"}}, [&](const std::string& name, torch::Tensor& x) {
      if (name == "look.E.bias" || name == "look.F.bias") x.fill_(bias);
      // One number in every shortened value is added to every channel of every head.
      if (name == "look.back.bias") {
        x -= outside * own.state.find("units.0.look.back.weight")->to(torch::kFloat).sum(1);
      }
      if (name == "look.back.weight") x.copy_(*own.state.find("units.0.look.back.weight"));
    });
  };
  const FloatArray without = logitsWith(0, 0);
  EXPECT_LT(difference(logitsWith(0.7, 0.7).values, without), 1e-4);
  EXPECT_GT(difference(logitsWith(0.7, 0).values, without), 1e-2);
}

TEST(DoubtfulParts, LinearAttentionMayHaveReluOfProductsOrFeatures) {
  // Where queries and keys are positive, ReLU returns them, and ELU + 1 returns one more.
  const auto logitsOf = [](const Checkpoint& own, const std::string& attention, double bias) {
    return logitsOfChanged(own, {{"heads", "4"}, {"attention", attention}},
                           [&](const std::string& name, torch::Tensor& x) {
                             if (name == "look.three.bias") x.narrow(0, 0, 48).fill_(bias);
                             if (name.ends_with("projection_matrix")) {
                               x.copy_(std::pow(6, 0.25) * torch::eye(6));
                             }
                           });
  };
  const Checkpoint plain = test::plainNetwork({}, {});
  const FloatArray expected = logitsOf(plain, "elu1", 20);
  EXPECT_LT(difference(logitsOf(plain, "relu", 21).values, expected), 1e-4);
  EXPECT_GT(difference(logitsOf(plain, "relu", 0).values, logitsOf(plain, "elu1", 0)), 1e-3);
  const Checkpoint performer =
      test::plainNetwork({}, {{"units.0.look.fast_attention.projection_matrix", {6, 6}},
                              {"units.1.look.fast_attention.projection_matrix", {6, 6}}});
  EXPECT_LT(difference(logitsOf(performer, "performer_relu", 21 - 1e-3).values, expected), 1e-4);
  EXPECT_LT(difference(logitsOf(performer, "softmax2", 1).values, logitsOf(plain, "softmax2", 1)),
            1e-6);
}

TEST(DoubtfulParts, NystromformerNeedsNoConvolution) {
  const Checkpoint plain = test::plainNetwork({}, {});
  const auto logitsOf = [&](const test::Options& options) {
    return FloatArray{{}, test::answerOf(plain, options)->logits};
  };
  const FloatArray softmax = logitsOf({{"heads", "4"}});
  const FloatArray nystrom =
      logitsOf({{"heads", "4"}, {"attention", "nystrom"}, {"landmarks", "4"}});
  EXPECT_GT(difference(nystrom.values, softmax), 1e-5);
  EXPECT_LT(difference(nystrom.values, softmax), 0.5);
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

TEST(DoubtfulParts, AnMlpInFrontOfTheAttentionMayRunFirst) {
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
  EXPECT_GT(difference(logitsOf(), readNpy(golden.path("logits.npy"))), 1e-2);
  request.firstHalf = "mlp";
  EXPECT_LT(difference(logitsOf(), readNpy(golden.path("logits.npy"))), 1e-4);
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

TEST(DoubtfulParts, TheEpsilonOfBlocksIsAskedBesideThatOfOtherNorms) {
  ModelRequest request = HandWrittenCases::request("scale_gamma", "");
  EXPECT_THAT(guessesOf(identifyModel(request)), Contains("epsilon-blocks"));
  request.epsilon = "1e-06";
  EXPECT_THAT(guessesOf(identifyModel(request)), Not(Contains("epsilon-blocks")));
  EXPECT_EQ(identifyModel(request).setting("epsilon-blocks")->value, "1e-06");
  // Its blocks have all the norms.
  EXPECT_THAT(guessesOf(identifyModel(HandWrittenCases::request("mha_shared_norm", ""))),
              Not(Contains("epsilon-blocks")));
}

/// The logits of another checkpoint for the picture of a case.
std::vector<float> logitsFor(const Golden& golden, const Checkpoint& checkpoint,
                             ModelRequest request) {
  const TemporaryFolder folder;
  request.path = folder.file("other.safetensors");
  writeSafetensors(request.path, checkpoint.state, {});
  return inspect(*openModel(request), golden.input())->logits;
}

TEST(DoubtfulParts, TheScaleIsAskedOfEveryMechanismOfSoftmaxes) {
  EXPECT_THAT(guessesOf(identifyModel(HandWrittenCases::request("linear_linformer_EF", ""))),
              Contains("scale"));
  // Without a scale, smaller queries, or queries and keys, give the same.
  const auto scaledIn = [](const std::string& name) {
    const bool isPerformer = name == "linear_performer";
    const double factor = name == "linear_linformer_EF" ? 1 / std::sqrt(8.0)
                          : isPerformer                 ? 0.5
                                                        : 0.25;
    return changed(name, [&](std::string& key, torch::Tensor& tensor) {
      const bool isPacked = key.ends_with(".to_qkv.weight");
      const bool isScaled =
          key.ends_with(".to_q.weight") || (isPerformer && key.ends_with(".to_k.weight"));
      if (isPacked) tensor = at::cat({factor * tensor.narrow(0, 0, 32), tensor.narrow(0, 32, 64)});
      // In half precision, the products would be rounded.
      if (isScaled) tensor = factor * tensor.to(torch::kFloat);
    });
  };
  for (const char* name : {"linear_linformer_EF", "linear_performer", "linear_nystrom"}) {
    ModelRequest request = HandWrittenCases::request(name, "options");
    const Golden golden(HandWrittenCases::folder(name), request);
    request.scale = "none";
    const FloatArray expected = readNpy(golden.path("logits.npy"));
    EXPECT_LT(difference(logitsFor(golden, scaledIn(name), request), expected), 1e-4) << name;
    EXPECT_GT(difference(inspect(*openModel(request), golden.input())->logits, expected), 1e-4)
        << name;
  }
}

TEST(DoubtfulParts, APackedMatrixThatSaysNoLettersMayHaveThemInAnyOrder) {
  ModelRequest request = HandWrittenCases::request("scale_gamma", "options");
  const Golden golden(HandWrittenCases::folder("scale_gamma"), request);
  EXPECT_THAT(identifyModel(HandWrittenCases::request("scale_gamma", "")).setting("qkv")->choices,
              Contains("kqv"));
  EXPECT_THAT(
      identifyModel(HandWrittenCases::request("linear_efficient", "")).setting("qkv")->choices,
      Not(Contains("kqv")));
  const Checkpoint turned = changed("scale_gamma", [](std::string& name, torch::Tensor& tensor) {
    if (name.find("three") != std::string::npos) tensor = thirdsOf(tensor, {1, 0, 2});
  });
  request.qkv = "kqv";
  EXPECT_LT(difference(logitsFor(golden, turned, request), readNpy(golden.path("logits.npy"))),
            1e-4);
}

TEST(DoubtfulParts, NormsAreNotRmsByTheEndOfTheirName) {
  const auto called = [](const std::string& norms) {
    return identifyModel(changed("norms_without_bias", [&](std::string& name, torch::Tensor&) {
      replaceIn(name, "end.", norms + ".");
    }));
  };
  EXPECT_THAT(guessesOf(called("norms")), Contains("norm-without-bias"));
  EXPECT_EQ(called("final_rms").setting("norm-without-bias")->value, "rms");
}

TEST(DoubtfulParts, NormsOfQueriesAndKeysMayBeOfAnotherKind) {
  ModelRequest request = HandWrittenCases::request("norms_of_heads_rms", "options");
  const Golden golden(HandWrittenCases::folder("norms_of_heads_rms"), request);
  EXPECT_THAT(identifyModel(request).setting("norm-without-bias")->choices, Contains("layer-rms"));
  const auto logitsAs = [&](const char* kinds) {
    request.normWithoutBias = kinds;
    return inspect(*openModel(request), golden.input())->logits;
  };
  const std::vector<float> both = logitsAs("rms");
  EXPECT_NE(logitsAs("rms-layer"), both);
  EXPECT_NE(logitsAs("layer-rms"), logitsAs("layer"));
  EXPECT_THAT(identifyModel(HandWrittenCases::request("norms_rms", ""))
                  .setting("norm-without-bias")
                  ->choices,
              Not(Contains("layer-rms")));
}

TEST(DoubtfulParts, ATableThatIsCalledPositionsMayHaveAColumnForEach) {
  const auto laidOut = [](const std::string& name, const std::vector<std::int64_t>& shape,
                          bool isTurned) {
    return changed(name, [&](std::string& key, torch::Tensor& tensor) {
      if (key != "table") return;
      key = "pos_embed";
      tensor = (isTurned ? tensor.transpose(1, 2) : tensor).contiguous().reshape(shape);
    });
  };
  const std::string all = "scale_gamma";
  const std::string patches = "class_last_without_position";
  const std::tuple<std::string, std::vector<std::int64_t>, bool> layouts[] = {
      {all, {1, 24, 17}, true},    {all, {24, 17}, true},        {patches, {1, 24, 4, 4}, true},
      {patches, {24, 4, 4}, true}, {patches, {4, 4, 24}, false}, {patches, {1, 4, 4, 24}, false}};
  for (const auto& [name, shape, isTurned] : layouts) {
    const ModelRequest request = HandWrittenCases::request(name, "options");
    const Golden golden(HandWrittenCases::folder(name), request);
    const std::vector<float> logits = logitsFor(golden, laidOut(name, shape, isTurned), request);
    EXPECT_LT(difference(logits, readNpy(golden.path("logits.npy"))), 1e-4)
        << at::IntArrayRef(shape);
  }
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
  return test::messageOf<ModelError>([&] { identifyModel(request); });
}

TEST(DoubtfulParts, AConfigurationOfWindowsFramesOrAnotherNetworkIsBelieved) {
  EXPECT_THAT(refusalBeside(R"({"window_block_indices": [0]})"), HasSubstr("window_block_indices"));
  EXPECT_THAT(refusalBeside(R"({"window_size": 2})"), HasSubstr("window_size '2'"));
  EXPECT_THAT(refusalBeside(R"({"tubelet_size": [2, 8, 8]})"), HasSubstr("tubelet_size"));
  EXPECT_THAT(refusalBeside(R"({"frame_patch_size": 4})"), HasSubstr("frame_patch_size"));
  EXPECT_THAT(refusalBeside(R"({"frequency_stride": 10})"), HasSubstr("frequency_stride"));
  EXPECT_THAT(refusalBeside(R"({"window_block_indexes": [0]})"), HasSubstr("window_block_indexes"));
  EXPECT_THAT(refusalBeside(R"({"rope_theta": 100.0})"), HasSubstr("rope_theta '100.0'"));
  EXPECT_THAT(refusalBeside(R"({"rope_parameters": {"rope_theta": 100.0}})"),
              HasSubstr("rope_theta '100.0'"));
  EXPECT_THAT(refusalBeside(R"({"model_type": "lw_detr_vit"})"), HasSubstr("is LW-DETR's"));
  EXPECT_EQ(refusalBeside(R"({"window_size": 4, "num_frames": 1, "window_block_indices": []})"),
            "");
  EXPECT_EQ(refusalBeside(R"({"window_size": 2, "hidden_size": 64})"), "") << "of another width";
}

/// timm's ViT with norms of queries and keys, which is read by its structure, and a config.json.
class TimmsOwnNorms {
 public:
  TimmsOwnNorms() {
    torch::manual_seed(11);
    constexpr int headWidth = 16;
    Checkpoint plain = plainVit({.width = 64, .depth = 2, .patch = 8, .side = 4});
    for (const char* norm : {"blocks.0.attn.q_norm", "blocks.0.attn.k_norm", "blocks.1.attn.q_norm",
                             "blocks.1.attn.k_norm"}) {
      plain.state.insert(std::string(norm) + ".weight", torch::zeros({headWidth}));
      plain.state.insert(std::string(norm) + ".bias", torch::zeros({headWidth}));
    }
    StateDict state;
    for (const StateDict::Entry& entry : plain.state.entries()) {
      state.insert(entry.name, 0.3 * torch::randn(entry.tensor.sizes()));
    }
    request_.path = folder_.file("own.safetensors");
    writeSafetensors(request_.path, state, {});
  }

  /// Returns the pooling that is read beside timm's arguments of these, or why none is.
  std::string poolingBeside(const std::string& arguments, ModelRequest request = {}) const {
    writeBytes(folder_.file("config.json"),
               R"({"architecture": "vit_base_patch16_224", "model_args": {"embed_dim": 64)" +
                   arguments + "}}");
    request.path = request_.path;
    ModelSummary summary;
    const std::string refusal =
        test::messageOf<ModelError>([&] { summary = identifyModel(request); });
    return refusal.empty() ? summary.setting("pooling")->value : refusal;
  }

  std::vector<float> logitsOf(const char* pooling) const {
    ModelRequest request = request_;
    request.pooling = pooling;
    std::vector<float> values(std::size_t{3} * 32 * 32);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(i % 17) / 8 - 1;
    }
    return inspect(*openModel(request), InputTensor{32, 32, values, 3})->logits;
  }

 private:
  TemporaryFolder folder_;
  ModelRequest request_;
};

TEST(DoubtfulParts, TimmPoolsPatchesAloneUnlessItSaysOtherwise) {
  const TimmsOwnNorms network;
  EXPECT_EQ(network.poolingBeside(R"(, "global_pool": "token")"), "cls");
  EXPECT_EQ(network.poolingBeside(R"(, "global_pool": "avg")"), "mean_patches");
  EXPECT_EQ(network.poolingBeside(R"(, "global_pool": "max")"), "max_patches");
  EXPECT_EQ(network.poolingBeside(R"(, "global_pool": "avgmax")"), "avgmax");
  EXPECT_THAT(network.poolingBeside(R"(, "global_pool": "prr")"), HasSubstr("global_pool 'prr'"));
  EXPECT_THAT(network.poolingBeside(R"(, "global_pool": "")"), HasSubstr("global_pool ''"));
  ModelRequest byStructure;
  byStructure.architecture = "structure";
  const std::string withPrefix = R"(, "pool_include_prefix": true, "global_pool": )";
  EXPECT_EQ(network.poolingBeside(withPrefix + R"("avg")", byStructure), "mean");
  EXPECT_EQ(network.poolingBeside(withPrefix + R"("max")", byStructure), "max");
  EXPECT_THAT(network.poolingBeside(withPrefix + R"("avgmax")", byStructure),
              HasSubstr("global_pool 'avgmax'"));
  byStructure.pooling = "avgmax";
  EXPECT_EQ(network.poolingBeside(withPrefix + R"("avgmax")", byStructure), "avgmax");
}

TEST(DoubtfulParts, OptionsOfTheStructureAreTakenUnderNamesOfAFamily) {
  const TimmsOwnNorms network;
  ModelRequest request;
  request.pooling = "mean_patches";
  EXPECT_EQ(network.poolingBeside("", request), "mean_patches");
  request.finalNorm = "pooled";
  EXPECT_EQ(network.poolingBeside("", request), "mean_patches");
  request.pooling = "flatten";
  EXPECT_THAT(network.poolingBeside("", request), HasSubstr("--pooling is"));
}

TEST(DoubtfulParts, HalfOfTheMeanAndOfTheLargestIsOfThePatches) {
  const TimmsOwnNorms network;
  const std::vector<float> mean = network.logitsOf("mean_patches");
  const std::vector<float> largest = network.logitsOf("max_patches");
  const std::vector<float> both = network.logitsOf("avgmax");
  ASSERT_EQ(both.size(), 10U);
  for (std::size_t i = 0; i < both.size(); ++i) {
    EXPECT_NEAR(both[i], (mean[i] + largest[i]) / 2, 1e-4);
  }
  EXPECT_NE(mean, largest);
}

TEST(DoubtfulParts, TimmsArgumentsTellBlocksAndNorms) {
  const TimmsOwnNorms network;
  ModelRequest byStructure;
  byStructure.architecture = "structure";
  EXPECT_THAT(network.poolingBeside(R"(, "block_fn": "ResPostBlock")", byStructure),
              HasSubstr("block_fn 'ResPostBlock'"));
  byStructure.norm = "post";
  EXPECT_EQ(network.poolingBeside(R"(, "block_fn": "ResPostBlock")", byStructure), "cls");
}

TEST(DoubtfulParts, APoolerThatNoHeadFollowsIsNoClassifier) {
  const Checkpoint pooled = changed("vp_vit", [](std::string& name, torch::Tensor& tensor) {
    if (!name.starts_with("mlp_head.")) return;
    tensor = name.ends_with("weight") ? torch::zeros({32, 32}) : torch::zeros({32});
    name.replace(0, std::string("mlp_head").size(), "pooler.dense");
  });
  const ModelSummary summary = identifyModel(pooled);
  EXPECT_EQ(summary.family, "structure");
  EXPECT_EQ(summary.classes, 0);
  EXPECT_TRUE(summary.foreign.empty());
}

/// torchvision's names with a head of two products, for pictures of three channels, whose filters
/// add up to those of the case's grey ones.
TEST(DoubtfulParts, TheHeadOfTorchvisionsNamesIsKnown) {
  const Checkpoint wide =
      changed("mha_encoder_layer_n", [](std::string& name, torch::Tensor& tensor) {
        tensor = tensor.to(torch::kFloat32);
        if (name == "conv_proj.weight") tensor = (tensor / 3).repeat({1, 3, 1, 1});
      });
  const TemporaryFolder folder;
  ModelRequest request;
  request.path = folder.file("torchvision.safetensors");
  request.heads = 2;
  writeSafetensors(request.path, wide.state, {});
  const auto model = openModel(request);
  const ModelSummary& summary = model->summary();
  EXPECT_EQ(summary.family, "vit");
  EXPECT_EQ(summary.setting("head-activation")->value, "tanh");
  EXPECT_THAT(guessesOf(summary), Not(Contains("head-activation")));
  EXPECT_THAT(guessesOf(summary), Not(Contains("epsilon")));
  const Golden golden(HandWrittenCases::folder("mha_encoder_layer_n"),
                      HandWrittenCases::request("mha_encoder_layer_n", "options"));
  InputTensor input = golden.input();
  const std::vector<float> grey = input.values;
  input.channels = 3;
  for (int more = 0; more < 2; ++more) {
    input.values.insert(input.values.end(), grey.begin(), grey.end());
  }
  EXPECT_LT(difference(inspect(*model, input)->logits, readNpy(golden.path("logits.npy"))), 1e-3);
}

TEST(DoubtfulParts, AnotherLinearInTorchvisionsPlaceIsTheHead) {
  for (const std::string head : {"heads.", "heads.1."}) {
    const Checkpoint replaced =
        changed("mha_encoder_layer_n", [&](std::string& name, torch::Tensor& tensor) {
          if (name == "conv_proj.weight") tensor = tensor.repeat({1, 3, 1, 1});
          if (name.starts_with("heads.pre_logits.")) name = "total_ops" + name;
          if (!name.starts_with("heads.head.")) return;
          if (name.ends_with("weight")) tensor = torch::zeros({10, 24});
          name.replace(0, std::string("heads.head.").size(), head);
        });
    StateDict state;
    for (const StateDict::Entry& entry : replaced.state.entries()) {
      if (!entry.name.starts_with("total_ops")) state.insert(entry.name, entry.tensor);
    }
    Checkpoint checkpoint = replaced;
    checkpoint.state = state;
    const ModelSummary summary = identifyModel(checkpoint);
    EXPECT_EQ(summary.family, "vit") << head;
    EXPECT_EQ(summary.classes, 10) << head;
    EXPECT_TRUE(summary.foreign.empty()) << head;
  }
}

TEST(DoubtfulParts, APictureThatDoesNotFitIsToldOfPositionsOfThePatchesAlone) {
  const Checkpoint square = vitPytorchOf(16, 192);
  const TemporaryFolder folder;
  ModelRequest request;
  request.path = folder.file("square.safetensors");
  writeSafetensors(request.path, square.state, {});
  EXPECT_THAT(
      test::messageOf<InspectionError>([&] { inspect(*openModel(request), evenInput(32, 32)); }),
      HasSubstr("--prefix-positions 0 if its 16 positions are of the patches alone"));
}

TEST(DoubtfulParts, TimmsNormLayerTellsWhatANormWithoutBiasIs) {
  const TemporaryFolder folder;
  Checkpoint checkpoint;
  checkpoint.path = folder.file("own.safetensors");
  const Checkpoint plain = plainVit({.width = 64, .depth = 2, .patch = 8});
  for (const StateDict::Entry& entry : plain.state.entries()) {
    const bool isOfNorm = entry.name.find("norm") != std::string::npos;
    if (isOfNorm && entry.name.ends_with(".bias")) continue;
    checkpoint.state.insert(entry.name, torch::randn(entry.tensor.sizes()));
  }
  ModelRequest request;
  request.architecture = "structure";
  const auto configure = [&](const char* norm) {
    writeBytes(folder.file("config.json"),
               std::string(R"({"model_args": {"embed_dim": 64, "norm_layer": ")") + norm + "\"}}");
  };
  configure("rmsnorm");
  const ModelSummary told = identifyModel(checkpoint, request);
  EXPECT_EQ(told.setting("norm-without-bias")->value, "rms");
  EXPECT_THAT(guessesOf(told), Not(Contains("norm-without-bias")));
  configure("simplenorm");
  EXPECT_THAT(test::messageOf<ModelError>([&] { identifyModel(checkpoint, request); }),
              HasSubstr("norm_layer 'simplenorm'"));
  request.normWithoutBias = "layer";
  EXPECT_EQ(identifyModel(checkpoint, request).setting("norm-without-bias")->value, "layer");
}

}  // namespace
}  // namespace softscope
