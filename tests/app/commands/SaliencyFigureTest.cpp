#include "core/array/Npz.h"
#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace softscope {
namespace {

using test::contentOf;
using test::data;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string goldenSaliency(const std::string& folder) {
  return "-m " + data("golden/" + folder + "/checkpoint.pth") + " ";
}

std::string saliencyTensor(const std::string& folder) {
  return data("golden/" + folder + "/input.npy") + " ";
}

std::vector<std::string> namesOf(const NamedArrays& arrays) {
  std::vector<std::string> names;
  for (const auto& [name, array] : arrays) names.push_back(name);
  return names;
}

TEST(SaliencyFigure, DataAreTheNormsOfTheAuthorsCode) {
  const TemporaryFolder folder;
  const std::string file = folder / "saliency.npz";
  const Outcome outcome =
      test::softscope("figure saliency " + goldenSaliency("sima") + saliencyTensor("sima") +
                      "--layer blocks.0.attn --head 2 --data " + file);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  const NamedArrays arrays = readNpz(file);
  ASSERT_THAT(
      namesOf(arrays),
      ElementsAre("checkpoint.blocks_0_attn.query_sum", "checkpoint.blocks_0_attn.key_sum",
                  "checkpoint.blocks_0_attn.query_head_2", "checkpoint.blocks_0_attn.key_head_2"));
  const FloatArray queries = readNpy(data("golden/sima/blocks_0_attn.q_l1.npy"));
  const FloatArray keys = readNpy(data("golden/sima/blocks_0_attn.k_l1.npy"));
  const auto tokens = static_cast<std::size_t>(queries.shape[1]);
  for (std::size_t i = 0; i < tokens; ++i) {
    double sums[] = {0, 0};
    for (std::size_t head = 0; head < static_cast<std::size_t>(queries.shape[0]); ++head) {
      sums[0] += queries.values[head * tokens + i];
      sums[1] += keys.values[head * tokens + i];
    }
    EXPECT_NEAR(arrays[0].second.values[i], sums[0], 1e-4);
    EXPECT_NEAR(arrays[1].second.values[i], sums[1], 1e-4);
    EXPECT_NEAR(arrays[2].second.values[i], queries.values[2 * tokens + i], 1e-4);
    EXPECT_NEAR(arrays[3].second.values[i], keys.values[2 * tokens + i], 1e-4);
  }
  EXPECT_THAT(arrays[0].second.shape, ElementsAre(6, 8));
}

TEST(SaliencyFigure, TakesTheLastLayerWithPatchesAndSaysWhatItIsOf) {
  const TemporaryFolder folder;
  const std::string file = folder / "saliency.svg";
  ASSERT_EQ(test::softscope("figure saliency " + goldenSaliency("sima") + saliencyTensor("sima") +
                            "-o " + file)
                .exitCode,
            0);
  const std::string svg = contentOf(file);
  EXPECT_THAT(svg, HasSubstr("blocks.1.attn"));
  EXPECT_THAT(svg, HasSubstr("SimA's normalisation"));
}

TEST(SaliencyFigure, KeysThatAreQueriesAreShownOnce) {
  const TemporaryFolder folder;
  const std::string file = folder / "saliency.npz";
  const std::string svg = folder / "saliency.svg";
  ASSERT_EQ(test::softscope("figure saliency " + goldenSaliency("soft") + saliencyTensor("soft") +
                            "--layer block1.0.att.mha.attn --data " + file + " -o " + svg)
                .exitCode,
            0);
  EXPECT_THAT(namesOf(readNpz(file)), ElementsAre("checkpoint.block1_0_att_mha_attn.query_sum"));
  EXPECT_THAT(contentOf(svg), HasSubstr("queries = keys"));
  const Outcome keys =
      test::softscope("figure saliency " + goldenSaliency("soft") + saliencyTensor("soft") +
                      "--layer block1.0.att.mha.attn --only keys --data " + file);
  EXPECT_EQ(keys.exitCode, 0) << keys.errors;
  EXPECT_THAT(keys.errors, HasSubstr("--only keys is passed over: in block1.0.att.mha.attn"));
}

TEST(SaliencyFigure, LayersWithoutPatchesAreLeftOutWithANote) {
  const TemporaryFolder folder;
  const std::string file = folder / "saliency.npz";
  const Outcome outcome = test::softscope("figure saliency " + goldenSaliency("xcit") +
                                          saliencyTensor("xcit") + "--layer all --data " + file);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("blocks.0.attn is left out"));
  EXPECT_THAT(namesOf(readNpz(file)), ElementsAre("checkpoint.cls_attn_blocks_0_attn.key_sum",
                                                  "checkpoint.cls_attn_blocks_1_attn.key_sum"));
}

TEST(SaliencyFigure, WhatCannotBeIsOneLine) {
  const std::string xcit =
      "figure saliency " + goldenSaliency("xcit") + saliencyTensor("xcit") + "-o /tmp/x.png ";
  for (const auto& [arguments, code] :
       {std::pair<std::string, int>{xcit + "--layer blocks.0.attn", 1},
        {xcit + "--layer cls_attn_blocks.0.attn --only queries", 1},
        {xcit + "--layer cls_attn_blocks.0.attn --head 9", 1},
        {xcit + "--head mean", 2},
        {xcit + "--head max", 2},
        {xcit + "--only values", 2},
        {"figure heads " + goldenSaliency("xcit") + saliencyTensor("xcit") +
             "-o /tmp/x.png --only keys",
         2}}) {
    const Outcome outcome = test::softscope(arguments);
    EXPECT_EQ(outcome.exitCode, code) << arguments << '\n' << outcome.errors;
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
  }
}

}  // namespace
}  // namespace softscope
