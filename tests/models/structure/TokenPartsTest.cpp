#include "models/OpenModel.h"
#include "tests/models/structure/ChangedCases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace softscope {
namespace {

using test::doubtsOf;
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
  for (const char* name : {"cls_token", "class_embedding", "extra_token"}) {
    EXPECT_THAT(doubtsOf(identifyModel(withoutClassToken(name, {1, 1, 24}))),
                Not(Contains("class-vector")))
        << name;
  }
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
