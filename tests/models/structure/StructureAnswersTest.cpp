#include "models/OpenModel.h"
#include "tests/models/structure/ChangedCases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using test::doubtsOf;
using test::rebuilt;
using test::refusalOfParts;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

using Metadata = std::map<std::string, std::string>;

/// Two blocks 32 wide, with these metadata.
Checkpoint saying(const Metadata& metadata) {
  Checkpoint checkpoint = rebuilt("packed_keys", {}, {});
  checkpoint.metadata = metadata;
  return checkpoint;
}

TEST(StructureAnswers, WhatTrainersCallANormOrAScaleSaysNothingOfTheNetwork) {
  const ModelSummary untold = identifyModel(saying({}));
  const std::vector<std::pair<std::string, std::string>> entries{
      {"hyper_parameters.norm", "false"},
      {"args.norm", "0"},
      {"args.norm", "true"},
      {"hyper_parameters.pre_norm", "false"},
      {"args.scale", "none"},
      {"config.pool", "max"},
      {"args.act", "silu"},
      {"args.mode", "gaussian"},
      {"norm", "none"},
      {"config.MODEL.NORM", "false"},
      {"config.model.scale", "none"},
      {"args.norm", "after"},
      {"args.pool", "avg"}};
  for (const auto& [key, value] : entries) {
    const ModelSummary said = identifyModel(saying({{key, value}}));
    ASSERT_EQ(said.settings.size(), untold.settings.size());
    for (std::size_t i = 0; i < untold.settings.size(); ++i) {
      EXPECT_EQ(said.settings[i].value, untold.settings[i].value) << key;
      EXPECT_EQ(said.settings[i].source, untold.settings[i].source) << key;
    }
  }
}

TEST(StructureAnswers, WordsOfANetworkAreBelievedUnderAnyName) {
  for (const auto& [key, value] : Metadata{
           {"args.norm", "post"}, {"config.norm_first", "false"}, {"args.normalize_before", "0"}}) {
    const ModelSummary summary = identifyModel(saying({{key, value}}));
    EXPECT_EQ(summary.setting("norm")->value, "post") << key;
    EXPECT_THAT(doubtsOf(summary), Not(Contains("norm"))) << key;
  }
  EXPECT_THAT(doubtsOf(identifyModel(saying({{"config.pool", "cls"}}))), Not(Contains("pooling")));
}

TEST(StructureAnswers, DictionariesOfTheNetworkWithinOthersAreRead) {
  for (const char* key : {"hyper_parameters.model_kwargs.num_heads", "config.MODEL.VIT.NUM_HEADS",
                          "hyper_parameters.model.n_heads"}) {
    const ModelSummary summary = identifyModel(saying({{key, "8"}}));
    EXPECT_EQ(summary.heads, std::vector<int>{8}) << key;
    EXPECT_THAT(doubtsOf(summary), Not(Contains("heads"))) << key;
  }
  for (const char* key : {"config.decoder.num_heads", "config.teacher.num_heads",
                          "other.model.num_heads", "args.MODEL.SWIN.NUM_HEADS"}) {
    EXPECT_THAT(doubtsOf(identifyModel(saying({{key, "8"}}))), Contains("heads")) << key;
  }
  EXPECT_THAT(doubtsOf(identifyModel(
                  saying({{"config.model.num_heads", "8"}, {"config.encoder.num_heads", "2"}}))),
              Contains("heads"));
  const Metadata both{{"args.num_heads", "8"}, {"args.encoder_num_heads", "4"}};
  EXPECT_THAT(doubtsOf(identifyModel(saying(both))), Contains("heads"));
}

TEST(StructureAnswers, AnotherNumberOfLayersIsNotPassedOver) {
  for (const char* key : {"config.num_layers", "args.depth", "hyper_parameters.model.n_layer"}) {
    EXPECT_THAT(refusalOfParts(saying({{key, "6"}})),
                AllOf(HasSubstr("says "), HasSubstr(" 6, and there are tensors of 2 blocks")))
        << key;
    EXPECT_THAT(doubtsOf(identifyModel(saying({{key, "3"}}))), Contains("layers")) << key;
    EXPECT_THAT(doubtsOf(identifyModel(saying({{key, "2"}}))), Not(Contains("layers"))) << key;
  }
  EXPECT_EQ(refusalOfParts(saying({{"config.decoder.depth", "6"}})), "");
}

TEST(StructureAnswers, MasksRotationsAndScaledSumsThatAreSaidAreRefused) {
  for (const auto& [key, value] : Metadata{{"config.causal", "true"},
                                           {"args.is_causal", "true"},
                                           {"config.is_decoder", "true"},
                                           {"hyper_parameters.model.causal", "true"},
                                           {"config.use_rope", "true"},
                                           {"args.pos_embed", "rope"},
                                           {"config.positional_encoding", "ALiBi"},
                                           {"config.residual_scale", "0.5"}}) {
    EXPECT_THAT(refusalOfParts(saying({{key, value}})),
                AllOf(HasSubstr("which no weight shows"), HasSubstr("docs/python.md")))
        << key;
  }
  for (const auto& [key, value] : Metadata{{"config.causal", "false"},
                                           {"config.use_rope", "false"},
                                           {"args.pos_embed", "learned"},
                                           {"config.residual_scale", "1.0"},
                                           {"config.decoder.causal", "true"}}) {
    EXPECT_EQ(refusalOfParts(saying({{key, value}})), "") << key;
  }
}

}  // namespace
}  // namespace softscope
