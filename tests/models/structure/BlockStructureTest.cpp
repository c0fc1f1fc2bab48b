#include "core/Error.h"
#include "models/structure/BlockStructure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using ::testing::HasSubstr;

using ShapesByName = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

/// Reads a block of tokens that are 24 wide.
BlockStructure blockOf(const ShapesByName& shapes, std::int64_t tokens = 17,
                       bool isOrdered = true) {
  StateDict state;
  for (const auto& [name, shape] : shapes) state.insert("units.0" + name, torch::zeros(shape));
  return readBlockStructure(tensorUnits(state), "units.0", 24, tokens, isOrdered);
}

/// Reads such a block with an mlp beside the given shapes.
BlockStructure blockWith(ShapesByName shapes, std::int64_t tokens = 17) {
  shapes.push_back({".mlp.up.weight", {36, 24}});
  shapes.push_back({".mlp.down.weight", {24, 36}});
  return blockOf(shapes, tokens);
}

void expectNoBlock(const ShapesByName& shapes, const std::string& said, std::int64_t tokens = 17) {
  try {
    blockWith(shapes, tokens);
    FAIL() << "read";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr(said));
  }
}

/// The matrices of an attention, with further shapes.
ShapesByName attentionAnd(const ShapesByName& others) {
  ShapesByName all{{".attn.qkv.weight", {72, 24}}, {".attn.out.weight", {24, 24}}};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

TEST(BlockStructure, PairsOfWordsTellWhichNormIsTheAttentions) {
  const std::pair<const char*, const char*> norms[] = {
      {".input_layernorm", ".post_attention_layernorm"},
      {".input_layernorm", ".pre_mlp_layernorm"},
      {".norm", ".post_attention_norm"},
      {".norm1", ".pre_mlp_norm"},
      {".ln_in", ".ln_post_attn"},
      {".pre_attn_norm", ".pre_mlp_norm"},
      {".post_attn_norm", ".post_mlp_norm"},
      {".attn_norm", ".post_attn_norm"},
      {".layernorm_before", ".layernorm_after"},
      {".first_norm", ".second_norm"},
      {".layer_norm", ".final_layer_norm"},
      {".norm_top", ".norm_bottom"},
      {".norm_in", ".norm_out"},
      {".ln_in", ".ln_mid"},
      {".norm", ".norm2"},
      {".ln", ".ln_2"},
      {".ln_one", ".ln_two"},
      {".token_norm", ".channel_norm"},
  };
  for (const auto& [first, second] : norms) {
    for (const bool isFirst : {true, false}) {
      const std::string one = std::string(first) + ".weight";
      const std::string other = std::string(second) + ".weight";
      const BlockStructure read =
          blockWith(attentionAnd({{isFirst ? one : other, {24}}, {isFirst ? other : one, {24}}}));
      EXPECT_EQ(read.norm1->weight, one);
      EXPECT_EQ(read.norm2->weight, other);
    }
  }
  expectNoBlock(attentionAnd({{".post_attn_norm.weight", {24}}, {".pre_mlp_norm.weight", {24}}}),
                "nothing tells which of the norms");
}

TEST(BlockStructure, ScalesOfTheAttentionMayBeCalledAfterIt) {
  const BlockStructure read = blockWith(
      attentionAnd({{".norm.weight", {24}}, {".mlp_ls", {24}}, {".after_attn_ls", {24}}}));
  EXPECT_EQ(read.scale1->name, ".after_attn_ls");
  EXPECT_EQ(read.scale2->name, ".mlp_ls");
}

TEST(BlockStructure, LettersTellWhatPackedMatricesMake) {
  const std::tuple<const char*, const char*, const char*> pairs[] = {
      {".attn.to_qk", ".attn.to_v", "qk"}, {".attn.query_key", ".attn.value", "qk"},
      {".attn.qv.0", ".attn.k.0", "qv"},   {".attn.W_kv", ".attn.W_q", "kv"},
      {".attn.vk", ".attn.q", "vk"},       {".attn.both", ".attn.one", "kv"}};
  for (const auto& [packed, single, letters] : pairs) {
    const std::string one = std::string(single) + ".weight";
    const BlockStructure read = blockWith({{std::string(packed) + ".weight", {48, 24}},
                                           {one, {24, 24}},
                                           {".attn.out.weight", {24, 24}}});
    EXPECT_EQ(read.attention.layout, ProjectionLayout::KeyValue);
    EXPECT_EQ(read.attention.packed, letters);
    EXPECT_EQ(read.attention.projections[0][0].weight, one);
  }
  EXPECT_EQ(
      blockWith({{".attn.kqv.weight", {72, 24}}, {".attn.out.weight", {24, 24}}}).attention.packed,
      "kqv");
  expectNoBlock({{".attn.qkv.weight", {48, 24}}, {".attn.out.weight", {24, 24}}},
                "ambiguous block");
  expectNoBlock(
      {{".attn.qk.weight", {48, 24}}, {".attn.k.weight", {24, 24}}, {".attn.out.weight", {24, 24}}},
      "ambiguous block");
}

TEST(BlockStructure, OneParameterAsLongAsTheTokensIsLinformers) {
  const BlockStructure rows = blockWith(attentionAnd({{".attn.E", {17, 8}}}));
  EXPECT_EQ(rows.attention.extra, AttentionExtra::Linformer);
  EXPECT_TRUE(rows.attention.isExtraTransposed);
  EXPECT_EQ(rows.attention.heads, 0);
  const BlockStructure columns =
      blockWith(attentionAnd({{".attn.E", {8, 17}}, {".attn.F", {8, 17}}}));
  EXPECT_EQ(columns.attention.extra, AttentionExtra::Linformer);
  EXPECT_FALSE(columns.attention.isExtraTransposed);
  const BlockStructure features = blockWith(attentionAnd({{".attn.projection_matrix", {17, 12}}}));
  EXPECT_EQ(features.attention.extra, AttentionExtra::Performer);
  expectNoBlock(attentionAnd({{".attn.seq_proj", {17, 8}}}), "ambiguous parameter");
  expectNoBlock(attentionAnd({{".attn.E", {17, 8}}}), "ambiguous parameter", 0);
  expectNoBlock(attentionAnd({{".attn.a", {17, 17}}, {".attn.b", {17, 17}}}), "mixes the maps");
}

/// A block whose keys and values two Linears shorten, in this order in the file.
BlockStructure shortened(const std::string& first, const std::string& second, bool isOrdered) {
  return blockOf({{".attn.qkv.weight", {72, 24}},
                  {".attn." + first + ".weight", {5, 17}},
                  {".attn." + first + ".bias", {5}},
                  {".attn." + second + ".weight", {5, 17}},
                  {".attn." + second + ".bias", {5}},
                  {".attn.out.weight", {24, 24}},
                  {".mlp.up.weight", {36, 24}},
                  {".mlp.down.weight", {24, 36}}},
                 17, isOrdered);
}

TEST(BlockStructure, NamesTellWhichMatrixOfLinformersShortensKeys) {
  const std::pair<const char*, const char*> pairs[] = {{"E", "F"},
                                                       {"shorten_keys", "compress_values"},
                                                       {"proj_k_seq", "lin_v_seq"},
                                                       {"seq_proj_k", "reduce_v"},
                                                       {"project_keys", "dense_values"},
                                                       {"to_low_k", "for_low_v"},
                                                       {"key_proj", "val_proj"},
                                                       {"Ek", "Ev"},
                                                       {"key.short", "value.short"}};
  for (const auto& [keys, values] : pairs) {
    for (const bool isKeysFirst : {true, false}) {
      for (const bool isOrdered : {true, false}) {
        const AttentionStructure read =
            shortened(isKeysFirst ? keys : values, isKeysFirst ? values : keys, isOrdered)
                .attention;
        EXPECT_EQ(read.extra, AttentionExtra::Linformer);
        EXPECT_EQ(read.extraTensors.front(), ".attn." + std::string(keys) + ".weight");
        EXPECT_EQ(read.extraBiases.back(), ".attn." + std::string(values) + ".bias");
        EXPECT_FALSE(read.isExtraOrderAssumed) << keys;
      }
    }
  }
}

TEST(BlockStructure, OrderAloneTellsWhichMatrixOfLinformersShortensKeysOrNothing) {
  const AttentionStructure ordered = shortened("wide", "narrow", true).attention;
  EXPECT_EQ(ordered.extraTensors.front(), ".attn.wide.weight");
  EXPECT_TRUE(ordered.isExtraOrderAssumed);
  const AttentionStructure numbered = shortened("shrink2", "shrink1", false).attention;
  EXPECT_EQ(numbered.extraTensors.front(), ".attn.shrink1.weight");
  EXPECT_TRUE(numbered.isExtraOrderAssumed);
  try {
    shortened("narrow", "wide", false);
    FAIL() << "read";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("shortens keys and which values"));
  }
}

TEST(BlockStructure, AMatrixWhoseWidthNoHeadsHaveHoldsNoRandomFeatures) {
  EXPECT_EQ(blockWith(attentionAnd({{".attn.proj_k", {17, 5}}})).attention.extra,
            AttentionExtra::Linformer);
  expectNoBlock(attentionAnd({{".attn.proj_k", {17, 4}}}), "ambiguous parameter");
  expectNoBlock({{".attn.to_q.weight", {24, 24}},
                 {".attn.to_k.weight", {24, 24}},
                 {".attn.proj_k", {17, 5}},
                 {".attn.to_out.weight", {24, 24}}},
                "q and k, and no values of their own");
}

TEST(BlockStructure, ParametersOfScoresAreNoProjections) {
  for (const char* name : {".attn.temperature", ".attn.logit_scale", ".attn.alibi_slopes",
                           ".attn.null_kv", ".attn.head_gate", ".attn.rel_bias"}) {
    for (const auto& shape : {std::vector<std::int64_t>{4, 17}, {17, 4}, {2, 12}}) {
      expectNoBlock(attentionAnd({{name, shape}}), name);
    }
  }
}

TEST(BlockStructure, VectorsInFrontOfModulesInAListAreNorms) {
  const BlockStructure read = blockOf({{".0.gamma", {24}},
                                       {".1.qkv.weight", {72, 24}},
                                       {".1.out.weight", {24, 24}},
                                       {".2.gamma", {24}},
                                       {".3.up.weight", {48, 24}},
                                       {".3.down.weight", {24, 48}}});
  EXPECT_EQ(read.norm1->weight, ".0.gamma");
  EXPECT_EQ(read.norm2->weight, ".2.gamma");
  EXPECT_FALSE(read.scale1);
  const BlockStructure scaled = blockOf({{".0.weight", {24}},
                                         {".1.qkv.weight", {72, 24}},
                                         {".1.out.weight", {24, 24}},
                                         {".2.gamma", {24}},
                                         {".3.weight", {24}},
                                         {".4.up.weight", {48, 24}},
                                         {".4.down.weight", {24, 48}},
                                         {".5.gamma", {24}}});
  EXPECT_EQ(scaled.norm2->weight, ".3.weight");
  EXPECT_EQ(scaled.scale1->name, ".2.gamma");
  EXPECT_EQ(scaled.scale2->name, ".5.gamma");
  try {
    blockOf({{".0.qkv.weight", {72, 24}},
             {".0.out.weight", {24, 24}},
             {".1.gamma", {24}},
             {".2.up.weight", {48, 24}},
             {".2.down.weight", {24, 48}},
             {".3.gamma", {24}}});
    FAIL() << "read";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'units.0.1.gamma' may be a norm without a bias"));
  }
}

TEST(BlockStructure, AListWithTheAttentionTellsNoNormBeforeTheMlp) {
  const BlockStructure list = blockOf({{".list.0.qkv.weight", {72, 24}},
                                       {".list.0.out.weight", {24, 24}},
                                       {".list.1.weight", {24}},
                                       {".list.2.weight", {48, 24}},
                                       {".list.3.weight", {24, 48}},
                                       {".list.4.weight", {24}}});
  EXPECT_FALSE(list.tellsNormsBefore);
  const BlockStructure sequential = blockOf({{".norm.weight", {24}},
                                             {".attn.qkv.weight", {72, 24}},
                                             {".attn.out.weight", {24, 24}},
                                             {".mlp.0.weight", {24}},
                                             {".mlp.1.weight", {48, 24}},
                                             {".mlp.3.weight", {24, 48}}});
  EXPECT_TRUE(sequential.tellsNormsBefore);
}

/// Expects that three, four or five square matrices of an attention, called so, are not read.
void expectNoSquares(const std::vector<std::string>& names, const std::string& said) {
  ShapesByName shapes;
  for (const std::string& name : names) shapes.push_back({".attn." + name + ".weight", {24, 24}});
  expectNoBlock(shapes, said);
}

TEST(BlockStructure, AnOutputIsNotTakenForTheKeys) {
  expectNoSquares({"q", "v", "proj"}, "are q and v, and no keys");
  expectNoSquares({"query", "value", "fc"}, "are q and v, and no keys");
  expectNoSquares({"W_q", "W_v", "W_o"}, "are q and v, and no keys");
  expectNoSquares({"q", "v", "back"}, "are q and v, and no keys");
  expectNoSquares({"to_q", "to_kv", "to_out"}, "shares one matrix, 'attn.to_kv'");
  expectNoSquares({"shared_qk", "value", "dense"}, "shares one matrix, 'attn.shared_qk'");
  expectNoSquares({"toqk", "tovalues", "unifyheads"}, "shares one matrix, 'attn.toqk'");
  for (const char* keys : {"tokeys", "wk", "k_proj", "key"}) {
    const std::string name = std::string(".attn.") + keys + ".weight";
    const BlockStructure read = blockWith({{".attn.toqueries.weight", {24, 24}},
                                           {name, {24, 24}},
                                           {".attn.tovalues.weight", {24, 24}}});
    EXPECT_EQ(read.attention.projections[1][0].weight, name);
    EXPECT_FALSE(read.attention.output);
  }
  // The k of `back` is none of keys.
  const BlockStructure sorted = blockWith({{".attn.back.weight", {24, 24}},
                                           {".attn.q.weight", {24, 24}},
                                           {".attn.v.weight", {24, 24}},
                                           {".attn.k.weight", {24, 24}}});
  EXPECT_EQ(sorted.attention.output->weight, ".attn.back.weight");
}

/// Returns the names of queries, keys, values and the output among four square matrices; nothing if
/// they are refused.
std::vector<std::string> rolesOf(const std::vector<std::string>& names, bool isOrdered) {
  StateDict state;
  for (const std::string& name : names) {
    state.insert("units.0.attn." + name + ".weight", torch::zeros({24, 24}));
  }
  state.insert("units.0.mlp.up.weight", torch::zeros({36, 24}));
  state.insert("units.0.mlp.down.weight", torch::zeros({24, 36}));
  try {
    const AttentionStructure read =
        readBlockStructure(tensorUnits(state), "units.0", 24, 17, isOrdered).attention;
    std::vector<std::string> roles;
    for (const auto& parts : read.projections) roles.push_back(parts.front().weight);
    roles.push_back(read.output->weight);
    for (std::string& role : roles) role = role.substr(6, role.size() - 13);
    return roles;
  } catch (const ModelError&) {
    return {};
  }
}

TEST(BlockStructure, ALetterInsideAWordSaysNothing) {
  const std::vector<std::string> italian{"query", "chiave", "valore", "uscita"};
  EXPECT_EQ(rolesOf(italian, true), italian);
  EXPECT_EQ(rolesOf({"chiave", "query", "uscita", "valore"}, false), italian);
  const std::vector<std::string> french{"requete", "cle", "valeur", "sortie"};
  EXPECT_EQ(rolesOf({"cle", "requete", "sortie", "valeur"}, false), french);
}

TEST(BlockStructure, WhereKeysAndOutputAreCalledNothingOnlyTheOrderTells) {
  const std::vector<std::string> own{"Wq", "Wc", "Wv", "W0"};
  EXPECT_EQ(rolesOf(own, true), own);
  EXPECT_TRUE(rolesOf({"W0", "Wc", "Wq", "Wv"}, false).empty());
  EXPECT_TRUE(rolesOf({"to_y", "to_v", "to_q", "to_x"}, true).empty());
  const std::vector<std::string> said{"to_q", "to_x", "to_v", "to_out"};
  EXPECT_EQ(rolesOf({"to_out", "to_q", "to_v", "to_x"}, false), said);
}

TEST(BlockStructure, NumbersOfAListTellTheProjections) {
  const std::vector<std::string> list{"linears.0", "linears.1", "linears.2", "linears.3"};
  EXPECT_EQ(rolesOf(list, false), list);
  EXPECT_TRUE(rolesOf({"linears.0", "linears.1", "linears.3", "linears.4"}, true).empty());
}

TEST(BlockStructure, HeadsMayShareKeysAndValues) {
  const BlockStructure read = blockWith({{".attn.q.weight", {24, 24}},
                                         {".attn.k.weight", {6, 24}},
                                         {".attn.v.weight", {6, 24}},
                                         {".attn.out.weight", {24, 24}}});
  EXPECT_EQ(read.attention.layout, ProjectionLayout::Separate);
  EXPECT_EQ(read.attention.keyWidth, 6);
  EXPECT_EQ(read.attention.inner, 24);
  expectNoBlock({{".attn.q.weight", {24, 24}},
                 {".attn.down.weight", {6, 24}},
                 {".attn.v.weight", {6, 24}},
                 {".attn.out.weight", {24, 24}}},
                "ambiguous block");
}

TEST(BlockStructure, AMatrixKeptByHandBesideLinearsIsRefused) {
  ShapesByName byHand;
  for (const char* letter : {"q", "k", "v", "o"}) {
    byHand.push_back({std::string(".attn.") + letter + "_weight", {24, 24}});
    byHand.push_back({std::string(".attn.") + letter + "_bias", {24}});
  }
  expectNoBlock(byHand, "nothing tells the orientation of 'units.0.attn.q_weight'");
  byHand.push_back({".mlp.up_weight", {24, 36}});
  byHand.push_back({".mlp.up_bias", {36}});
  byHand.push_back({".mlp.down_weight", {36, 24}});
  const BlockStructure read = blockOf(byHand);
  EXPECT_TRUE(read.attention.projections[0][0].isTransposed);
}

TEST(BlockStructure, AnOutputIsNotTakenForTheProjectionBesideAPair) {
  const std::pair<const char*, const char*> pairs[] = {
      {"qk", "proj"}, {"to_qk", "to_out"}, {"qv", "proj"}, {"kv", "out"}};
  for (const auto& [pair, output] : pairs) {
    expectNoBlock({{std::string(".attn.") + pair + ".weight", {48, 24}},
                   {std::string(".attn.") + output + ".weight", {24, 24}}},
                  "nothing beside them says that it makes");
  }
  const BlockStructure read =
      blockWith({{".attn.to_kv.weight", {48, 24}}, {".attn.toq.weight", {24, 24}}});
  EXPECT_EQ(read.attention.projections[0][0].weight, ".attn.toq.weight");
}

TEST(BlockStructure, AGateIsNoOutput) {
  for (const char* name : {"gate", "to_gates", "gating", "residual", "skip", "rel", "gate.linear",
                           "lepe", "local", "mem", "sum", "bypass", "z", "silu", "identity"}) {
    const std::string gate = std::string(".attn.") + name + ".weight";
    expectNoSquares({"q", "k", "v", name}, "ambiguous block");
    expectNoBlock({{".attn.qkv.weight", {72, 24}}, {gate, {24, 24}}}, "ambiguous block");
    expectNoBlock({{".attn.q.weight", {24, 24}}, {".attn.kv.weight", {48, 24}}, {gate, {24, 24}}},
                  "ambiguous block");
  }
}

TEST(BlockStructure, WordsThatHoldOthersAreNoGates) {
  for (const char* name : {"aggregate", "propagate", "compose", "result"}) {
    const std::string output = std::string(".attn.") + name + ".weight";
    const BlockStructure read = blockWith({{".attn.qkv.weight", {72, 24}}, {output, {24, 24}}});
    EXPECT_EQ(read.attention.output->weight, output);
  }
  EXPECT_TRUE(blockOf({{".attn.qkv.weight", {72, 24}},
                       {".residual_mlp.0.weight", {36, 24}},
                       {".residual_mlp.2.weight", {24, 36}}})
                  .expand);
}

TEST(BlockStructure, WhatNarrowsTokensBesideTheAttentionIsNoMlp) {
  const std::pair<const char*, const char*> pairs[] = {
      {".se.0", ".se.2"}, {".attn.down", ".attn.up"}, {".adapter.down", ".adapter.up"}};
  for (const auto& [down, up] : pairs) {
    try {
      blockOf({{".attn.qkv.weight", {72, 24}},
               {std::string(down) + ".weight", {6, 24}},
               {std::string(down) + ".bias", {6}},
               {std::string(up) + ".weight", {24, 6}},
               {std::string(up) + ".bias", {24}}});
      ADD_FAILURE() << "read " << down;
    } catch (const ModelError& error) {
      EXPECT_THAT(error.what(), HasSubstr("ambiguous block"));
    }
  }
  EXPECT_TRUE(blockOf({{".attn.qkv.weight", {72, 24}},
                       {".mlp.fc1.weight", {6, 24}},
                       {".mlp.fc2.weight", {24, 6}}})
                  .expand);
}

TEST(BlockStructure, MatricesThatMayBeStoredTurnedAreRefused) {
  const ShapesByName attention{{".attn.qkv.weight", {72, 24}}, {".attn.out.weight", {24, 24}}};
  const std::pair<const char*, const char*> pairs[] = {
      {".mlp.fc1", ".mlp.fc2"}, {".mlp.a", ".mlp.b"}, {".mlp.up", ".mlp.down"}};
  for (const auto& [first, second] : pairs) {
    ShapesByName turned = attention;
    turned.push_back({std::string(first) + ".weight", {24, 36}});
    turned.push_back({std::string(second) + ".weight", {36, 24}});
    try {
      blockOf(turned);
      ADD_FAILURE() << "read " << first;
    } catch (const ModelError& error) {
      EXPECT_THAT(error.what(), HasSubstr("may be stored as [inputs, outputs]"));
    }
    // Biases tell how matrices are stored.
    turned.push_back({std::string(first) + ".bias", {24}});
    EXPECT_EQ(blockOf(turned).expand->weight, std::string(second) + ".weight");
  }
}

TEST(BlockStructure, NamesOrderSquareMlpsOfSortedFiles) {
  const auto expandOf = [](const std::string& one, const std::string& other) {
    StateDict state;
    for (const std::string& name : {one, other}) {
      state.insert("units.0" + name + ".weight", torch::zeros({24, 24}));
    }
    state.insert("units.0.attn.qkv.weight", torch::zeros({72, 24}));
    return readBlockStructure(tensorUnits(state), "units.0", 24, 17, false).expand->weight;
  };
  EXPECT_EQ(expandOf(".mlp.down", ".mlp.up"), ".mlp.up.weight");
  EXPECT_EQ(expandOf(".mlp.compress", ".mlp.hidden"), ".mlp.hidden.weight");
  EXPECT_EQ(expandOf(".mlp.c_fc", ".mlp.c_proj"), ".mlp.c_fc.weight");
  EXPECT_EQ(expandOf(".mlp.down_proj", ".mlp.up_proj"), ".mlp.up_proj.weight");
  EXPECT_EQ(expandOf(".mlp.fc", ".mlp.out"), ".mlp.fc.weight");
  EXPECT_EQ(expandOf(".mlp.10", ".mlp.9"), ".mlp.9.weight");
  try {
    expandOf(".mlp.first", ".mlp.last");
    FAIL() << "read";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("nothing tells which of the mlp's two comes first"));
  }
}

TEST(BlockStructure, TheNameOfAnOnlyNormTellsItsHalf) {
  const std::pair<const char*, std::optional<BlockHalf>> norms[] = {
      {".mlp.norm", BlockHalf::Mlp},
      {".ff_norm", BlockHalf::Mlp},
      {".attn.norm", BlockHalf::Attention},
      {".pre_attn_norm", BlockHalf::Attention},
      {".norm", std::nullopt},
      {".token_norm", std::nullopt},
      {".channel_norm", std::nullopt},
      {".post_attention_norm", std::nullopt}};
  for (const auto& [norm, half] : norms) {
    const BlockStructure read = blockWith(attentionAnd({{std::string(norm) + ".weight", {24}}}));
    EXPECT_EQ(read.halfOfNorm, half) << norm;
  }
}

TEST(BlockStructure, BareSquareMatricesAreNoFeatures) {
  for (const char* name : {".attn.proj", ".attn.proj_w", ".attn.W_o"}) {
    expectNoBlock({{".attn.qkv.weight", {72, 24}}, {name, {24, 24}}},
                  "nothing tells the orientation of");
  }
  EXPECT_EQ(blockWith(attentionAnd({{".attn.projection_matrix", {24, 24}}})).attention.extra,
            AttentionExtra::Performer);
  expectNoBlock(attentionAnd({{".attn.mix", {4, 4}}}), "mixes the maps");
}

TEST(BlockStructure, VectorsThatAreAddedScaleNothing) {
  for (const char* name : {".attn.layer_emb", ".attn.b", ".attn.offset", ".attn.prompt"}) {
    for (const auto& shape : {std::vector<std::int64_t>{24}, {1, 24}, {1, 1, 24}}) {
      expectNoBlock(attentionAnd({{name, shape}}), "tensor without a place");
    }
  }
  // One vector alone may multiply queries as well.
  for (const char* name : {".attn.beside", ".attn.scale", ".attn.alpha", ".mlp.s"}) {
    expectNoBlock(attentionAnd({{name, {24}}}), "is not called a layer scale");
  }
  for (const char* name : {".attn.tau", ".attn.ctx", ".attn.per_dim_scale"}) {
    expectNoBlock(attentionAnd({{name, {24}}}), "tensor without a place");
  }
  EXPECT_TRUE(blockWith(attentionAnd({{".attn.gamma", {24}}})).scale1);
  expectNoBlock(attentionAnd({{".attn.one", {24}}, {".attn.other", {24}}}),
                "both vectors, 'units.0.attn.one' and 'units.0.attn.other', stand in the module of "
                "the attention");
}

void expectRefusedBlock(const ShapesByName& shapes, const std::string& said) {
  try {
    blockOf(shapes);
    ADD_FAILURE() << "read " << shapes.back().first;
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr(said));
  }
}

/// Square matrices under these names.
ShapesByName squares(const std::vector<std::string>& names) {
  ShapesByName shapes;
  for (const std::string& name : names) shapes.push_back({name + ".weight", {24, 24}});
  return shapes;
}

ShapesByName joined(ShapesByName one, const ShapesByName& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

TEST(BlockStructure, AnMlpOfOneMatrixIsRefusedByName) {
  const std::string said = "may be an mlp of a single matrix";
  const ShapesByName multihead{{".attn.in_proj_weight", {72, 24}}, {".attn.in_proj_bias", {72}}};
  const ShapesByName packed{{".attn.qkv.weight", {72, 24}}};
  const ShapesByName pair{{".attn.q.weight", {24, 24}}, {".attn.kv.weight", {48, 24}}};
  const ShapesByName three = squares({".attn.q", ".attn.k", ".attn.v"});
  expectRefusedBlock(joined(multihead, squares({".attn.out_proj", ".ff"})), "'ff' " + said);
  expectRefusedBlock(joined(packed, squares({".attn.proj", ".ffn"})), "'ffn' " + said);
  expectRefusedBlock(joined(packed, squares({".fc", ".attn.proj"})), "'fc' " + said);
  expectRefusedBlock(joined(pair, squares({".attn.proj", ".mlp"})), "'mlp' " + said);
  expectRefusedBlock(joined(three, squares({".attn.proj", ".mlp.0"})), "'mlp.0' " + said);
  for (const ShapesByName& projections : {packed, three}) {
    expectRefusedBlock(joined(projections, squares({".ff"})), "'ff' " + said);
    expectRefusedBlock(joined(projections, squares({".linear"})), "'linear' " + said);
  }
  ShapesByName heads;
  for (const char* head : {"0", "1"}) {
    for (const char* letter : {"q", "k", "v"}) {
      heads.push_back({std::string(".attn.heads.") + head + "." + letter + ".weight", {12, 24}});
    }
  }
  expectRefusedBlock(joined(heads, squares({".attn.out", ".ff"})), "'ff' " + said);
}

TEST(BlockStructure, ASquareMlpInAModuleOfItsOwnIsRead) {
  const ShapesByName mlp = squares({".mlp.0", ".mlp.2"});
  const BlockStructure packed = blockOf(joined({{".attn.qkv.weight", {72, 24}}}, mlp));
  EXPECT_EQ(packed.contract->weight, ".mlp.2.weight");
  EXPECT_FALSE(packed.attention.output);
  const BlockStructure three = blockOf(joined(squares({".attn.q", ".attn.k", ".attn.v"}), mlp));
  EXPECT_EQ(three.expand->weight, ".mlp.0.weight");
  EXPECT_FALSE(three.attention.output);
  const BlockStructure nested =
      blockOf(squares({".attention.attention.query", ".attention.attention.key",
                       ".attention.attention.value", ".attention.output.dense"}));
  EXPECT_EQ(nested.attention.output->weight, ".attention.output.dense.weight");
}

TEST(BlockStructure, APackedGateIsNotTakenForKeysAndValues) {
  const ShapesByName gated{{".ff.fc1.weight", {48, 24}}, {".ff.fc2.weight", {24, 24}}};
  expectRefusedBlock(joined(squares({".attention.q", ".attention.k", ".attention.v"}), gated),
                     "a gated mlp, whose first two seem to be packed in 'ff.fc1'");
  expectRefusedBlock(joined(squares({".attention.a", ".attention.b", ".attention.c"}), gated),
                     "ambiguous block");
}

TEST(BlockStructure, NormsInsideAHalfAreNotThoseOfTheBlock) {
  const std::string ofProjections = "a norm of queries, keys or values";
  for (const char* name : {".attn.v_norm", ".attn.k_norm", ".attn.qnorm", ".attn.q.norm"}) {
    const std::string inner = std::string(name) + ".weight";
    expectNoBlock(attentionAnd({{".norm1.weight", {24}}, {inner, {24}}}), ofProjections);
  }
  expectNoBlock(attentionAnd({{".attn.q_norm.weight", {24}}, {".attn.k_norm.weight", {24}}}),
                ofProjections);
  expectNoBlock(attentionAnd({{".attn.nq.weight", {24}}, {".attn.nk.weight", {24}}}),
                ofProjections);
  expectNoBlock(attentionAnd({{".attn.norm1.weight", {24}}, {".attn.norm2.weight", {24}}}),
                "both norms, 'units.0.attn.norm1' and 'units.0.attn.norm2', stand in the module of "
                "the attention");
  for (const char* name : {".norm1", ".norm"}) {
    const std::string outer = std::string(name) + ".weight";
    expectNoBlock(attentionAnd({{outer, {24}}, {".attn.norm.weight", {24}}}),
                  "acts in front of the attention or inside it");
  }
  for (const char* name : {".mlp.norm", ".norm2", ".ff_norm", ".post_attention_norm"}) {
    const std::string other = std::string(name) + ".weight";
    const BlockStructure read =
        blockWith(attentionAnd({{".attn.norm.weight", {24}}, {other, {24}}}));
    EXPECT_EQ(read.norm1->weight, ".attn.norm.weight");
    EXPECT_EQ(read.norm2->weight, other);
  }
  expectRefusedBlock(attentionAnd({{".norm.weight", {24}},
                                   {".mlp.0.weight", {24, 24}},
                                   {".mlp.1.weight", {24}},
                                   {".mlp.3.weight", {24, 24}}}),
                     "a norm between two products");
}

TEST(BlockStructure, AVectorThatGatesIsRefusedByName) {
  for (const char* name : {".attn.gate", ".gate_logits", ".mlp.gating"}) {
    expectNoBlock(attentionAnd({{name, {24}}}), "a gate, which may pass through a function");
  }
}

TEST(BlockStructure, GroupNormsAreRefusedByName) {
  expectNoBlock(attentionAnd({{".gn1.weight", {24}}, {".gn2.weight", {24}}}), "group norm");
}

}  // namespace
}  // namespace softscope
