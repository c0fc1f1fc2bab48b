#include "core/checkpoint/Checkpoint.h"
#include "models/OpenModel.h"
#include "tests/models/Golden.h"
#include "tests/models/identify/ExtendedCheckpoint.h"
#include "tests/models/structure/ChangedCases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace softscope {
namespace {

using test::answerOf;
using test::doubtsOf;
using test::Options;
using test::Pieces;
using test::plainNetwork;
using test::refusalOfParts;
using test::Shapes;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// The plain network without its class token, with positions of the patches alone.
Checkpoint withoutClassToken(const std::string& name, const std::vector<std::int64_t>& shape) {
  return plainNetwork({"first", "table"}, {{"table", {1, 16, 24}}, {name, shape}});
}

TEST(TokenParts, AVectorWithoutAPositionMayBeNoClassToken) {
  for (const char* name : {"attn_w", "context_vector", "attention_vector", "readout", "alpha",
                           "gate", "mil.V", "importance", "in_gain", "seed"}) {
    EXPECT_THAT(refusalOfParts(withoutClassToken(name, {24})),
                AllOf(HasSubstr(name), HasSubstr("is not that of tokens")));
  }
  for (const char* name : {"w", "S", "summary", "latents", "u_w", "mu"}) {
    const Checkpoint pooled = withoutClassToken(name, {1, 1, 24});
    EXPECT_THAT(doubtsOf(identifyModel(pooled)), Contains("class-vector")) << name;
    EXPECT_EQ(refusalOfParts(pooled, {{"class-vector", "token"}}), "");
    EXPECT_THAT(refusalOfParts(pooled, {{"class-vector", "none"}}),
                AllOf(HasSubstr(name), HasSubstr("neither a token nor positions")));
  }
  for (const char* name : {"cls_token", "class_embedding"}) {
    EXPECT_THAT(doubtsOf(identifyModel(withoutClassToken(name, {1, 1, 24}))),
                Not(Contains("class-vector")))
        << name;
  }
}

/// Returns the plain network with a vector or table as wide as its tokens behind its other parts.
Checkpoint withTokens(const std::string& name, const std::vector<std::int64_t>& shape) {
  return plainNetwork({}, {{name, shape}});
}

/// Expects that two networks answer the same.
void expectSameAnswers(const Checkpoint& one, const Options& options, const Checkpoint& other) {
  const auto first = answerOf(one, options);
  const auto second = answerOf(other, {});
  ASSERT_EQ(first->logits.size(), second->logits.size());
  for (std::size_t i = 0; i < first->logits.size(); ++i) {
    EXPECT_NEAR(first->logits[i], second->logits[i], 1e-5);
  }
}

TEST(TokenParts, ATokenForSomethingMissingIsLeftOutAndNamed) {
  const Shapes tokens{{"null_token", {1, 1, 24}},     {"pad_token", {24}},
                      {"empty_token", {1, 24}},       {"drop_token", {1, 1, 24}},
                      {"uncond_token", {1, 1, 24}},   {"noise_token", {1, 1, 24}},
                      {"ph_token", {1, 1, 24}},       {"predictor_token", {1, 1, 24}},
                      {"null_tokens", {1, 2, 24}},    {"nullToken", {1, 1, 24}},
                      {"null_cls_token", {1, 1, 24}}, {"dummy_registers", {1, 2, 24}}};
  const Checkpoint plain = plainNetwork({}, {});
  for (const auto& [name, shape] : tokens) {
    SCOPED_TRACE(name);
    const Checkpoint file = withTokens(name, shape);
    const ModelSummary summary = identifyModel(file);
    ASSERT_NE(summary.setting("registers"), nullptr);
    EXPECT_EQ(summary.setting("registers")->choices, (Pieces{"none", "before", "behind"}));
    EXPECT_THAT(doubtsOf(summary), Contains("registers"));
    EXPECT_THAT(summary.reason, HasSubstr("'" + name + "'"));
    expectSameAnswers(file, {}, plain);
    expectSameAnswers(file, {{"registers", "none"}}, plain);
    const Checkpoint named = withTokens("register_tokens", shape);
    expectSameAnswers(file, {{"registers", "before"}}, named);
  }
}

TEST(TokenParts, ATokenForSomethingMissingStaysWhereThePositionsHaveARowForIt) {
  const ModelSummary summary = identifyModel(plainNetwork({"first"}, {{"null_token", {1, 1, 24}}}));
  EXPECT_EQ(summary.setting("registers"), nullptr);
  ASSERT_NE(summary.setting("class-token"), nullptr);
  EXPECT_EQ(summary.setting("class-token")->value, "first");
}

TEST(TokenParts, TokensBesideTheClassTokenAreNamedAndMayBeNone) {
  const Checkpoint plain = plainNetwork({}, {});
  for (const char* name : {"register_tokens", "reg_token", "storage", "memory", "prompts",
                           "helper_tokens", "mem", "sink", "global_tokens", "dist_tokens"}) {
    SCOPED_TRACE(name);
    const Checkpoint file = withTokens(name, {1, 2, 24});
    const ModelSummary summary = identifyModel(file);
    EXPECT_THAT(doubtsOf(summary), Contains("registers"));
    EXPECT_EQ(summary.setting("registers")->choices, (Pieces{"before", "behind", "none"}));
    EXPECT_THAT(summary.setting("registers")->why, HasSubstr("'" + std::string(name) + "'"));
    EXPECT_THAT(summary.reason, HasSubstr("'" + std::string(name) + "'"));
    expectSameAnswers(file, {{"registers", "none"}}, plain);
  }
}

TEST(TokenParts, TokensThatPositionsHaveRowsForAreInTheSequence) {
  Checkpoint file = plainNetwork({"table"}, {{"table", {1, 19, 24}}, {"reg_tokens", {1, 2, 24}}});
  file.metadata = {{"image_size", "28"}};
  EXPECT_EQ(identifyModel(file).setting("registers")->choices, (Pieces{"before", "behind"}));
  // Where nothing says the size of pictures, the rows may be divided otherwise.
  file.metadata.clear();
  EXPECT_EQ(identifyModel(file).setting("registers")->choices,
            (Pieces{"before", "behind", "none"}));
}

TEST(TokenParts, ATokenThatIsNotCalledTheClassTokenMayBeNone) {
  const Checkpoint pooled = plainNetwork({"first", "table"}, {{"table", {1, 16, 24}}});
  for (const char* name : {"extra_token", "token", "dist_token"}) {
    SCOPED_TRACE(name);
    const Checkpoint file = withoutClassToken(name, {1, 1, 24});
    EXPECT_THAT(doubtsOf(identifyModel(file)), Contains("class-vector"));
    expectSameAnswers(file, {{"class-vector", "none"}}, pooled);
    EXPECT_EQ(refusalOfParts(file, {{"class-vector", "token"}}), "");
  }
}

TEST(TokenParts, OptionsAreAnsweredForTheNetworkThatTheFileOpensAs) {
  // Positions of a square and a class token.
  Checkpoint deit = withTensors(readCheckpoint(goldenPath("deit/checkpoint.pth")),
                                [](std::string& name, torch::Tensor& tensor) {
                                  if (name == "pos_embed") tensor = tensor.slice(1, 0, 17);
                                });
  const std::int64_t width = deit.state.find("cls_token")->size(2);
  deit.state.insert("null_token", torch::ones({1, 1, width}));
  EXPECT_EQ(identifyModel(deit).family, "structure");
  EXPECT_EQ(refusalOfParts(deit, {{"registers", "none"}}), "");
  EXPECT_THAT(refusalOfParts(deit, {{"class-vector", "none"}}),
              HasSubstr("is a structure model, whose class-vector is no choice"));
}

TEST(TokenParts, OnlyTheNamesOfVitPytorchTellThatTokensStandBehind) {
  const std::string library = "as in the library whose names these are";
  const ModelSummary known = identifyModel(test::rebuilt("vp_simple_vit_registers", {}, {}));
  EXPECT_EQ(known.setting("registers")->source, library);
  Checkpoint renamed = test::rebuilt("vp_simple_vit_registers", {}, {});
  renamed = withTensors(std::move(renamed), [](std::string& name, torch::Tensor&) {
    if (name == "register_tokens") name = "helper_reg_tokens";
  });
  const ModelSummary other = identifyModel(renamed);
  EXPECT_EQ(other.setting("registers")->value, "behind");
  EXPECT_EQ(other.setting("registers")->source, "assumed");
}

TEST(TokenParts, AVectorWithAPositionIsTheClassToken) {
  EXPECT_THAT(doubtsOf(identifyModel(plainNetwork({}, {}))), Not(Contains("class-vector")));
}

TEST(TokenParts, AMatrixOfOneRowIsATokenOnlyByItsName) {
  for (const char* name : {"score", "attention_weights", "gate", "importance"}) {
    EXPECT_THAT(refusalOfParts(withoutClassToken(std::string(name) + ".weight", {1, 24})),
                AllOf(HasSubstr(name), HasSubstr("may weigh the tokens for a pool")));
  }
  for (const char* name : {"cls_embed.weight", "class_token.weight", "token.weight"}) {
    EXPECT_EQ(refusalOfParts(plainNetwork({"first"}, {{name, {1, 24}}})), "") << name;
  }
}

/// 24 patches of pictures of 28 x 42 and a table as wide as it is long.
Checkpoint withSquare(const std::string& name, const Shapes& added = {}) {
  Shapes all{{name, {24, 24}}};
  all.insert(all.end(), added.begin(), added.end());
  Checkpoint square = plainNetwork({"first", "table"}, all);
  square.metadata = {{"image_size", "28,42"}};
  return square;
}

TEST(TokenParts, ASquareTableMayBeAddedToScores) {
  for (const char* name : {"dist", "distances", "decay", "alibi", "adj", "gauss", "locality",
                           "prior", "w_rel", "distance_matrix"}) {
    EXPECT_THAT(refusalOfParts(withSquare(name)), HasSubstr("is not that of tokens")) << name;
  }
  EXPECT_THAT(refusalOfParts(withSquare("dist", {{"pos_embed", {1, 24, 24}}})),
              HasSubstr("is not that of tokens"));
  const ModelSummary asked = identifyModel(withSquare("D"));
  ASSERT_THAT(doubtsOf(asked), Contains("positions"));
  EXPECT_EQ(asked.setting("positions")->choices, (Pieces{"learned", "learned_columns", "none"}));
  EXPECT_THAT(refusalOfParts(withSquare("D"), {{"positions", "none"}}),
              HasSubstr("neither a token nor positions"));
  EXPECT_EQ(identifyModel(withSquare("pos_embed")).setting("positions")->choices,
            (Pieces{"learned", "learned_columns"}));
}

TEST(TokenParts, RotationsAreNoPositions) {
  for (const char* name : {"rope.cos", "freqs_cos", "rotary_pos_emb", "cos", "rel_pos_bias"}) {
    EXPECT_THAT(refusalOfParts(plainNetwork({"first", "table"}, {{name, {16, 24}}})),
                HasSubstr("is not that of tokens"))
        << name;
  }
  for (const char* name : {"pos_cos", "europe_table"}) {
    EXPECT_EQ(refusalOfParts(plainNetwork({"table"}, {{name, {17, 24}}})), "") << name;
  }
}

TEST(TokenParts, AMatrixThatIsNotCalledPositionsMayBeASecondHead) {
  const Pieces dropped{"first", "table", "out."};
  const Shapes head{{"head.weight", {10, 24}}, {"head.bias", {10}}};
  for (const char* name : {"jigsaw", "patch_cls"}) {
    Shapes heads = head;
    heads.push_back({std::string(name) + ".weight", {16, 24}});
    const Checkpoint two = plainNetwork(dropped, heads);
    EXPECT_THAT(doubtsOf(identifyModel(two)), Contains("positions")) << name;
    EXPECT_THAT(refusalOfParts(two, {{"positions", "none"}}), HasSubstr(name));
  }
  for (const char* name : {"pos", "embedding", "location_table", "wpe"}) {
    Shapes table = head;
    table.push_back({std::string(name) + ".weight", {16, 24}});
    EXPECT_THAT(doubtsOf(identifyModel(plainNetwork(dropped, table))), Not(Contains("positions")))
        << name;
  }
}

TEST(TokenParts, TheFlagOfARunningAverageTakesNoPart) {
  Checkpoint average = plainNetwork({}, {});
  average.state.insert("initted", torch::ones({1}, torch::kBool));
  average.state.insert("step", torch::ones({1}, torch::kInt64));
  EXPECT_EQ(refusalOfParts(average), "");
}

}  // namespace
}  // namespace softscope
