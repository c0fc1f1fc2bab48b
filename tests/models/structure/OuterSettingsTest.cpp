#include "models/OpenModel.h"
#include "tests/models/structure/ChangedCases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace softscope {
namespace {

using test::answerOf;
using test::doubtsOf;
using test::Pieces;
using test::plainNetwork;
using test::rebuilt;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

void expectAlike(const std::vector<float>& actual, const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-4);
}

TEST(OuterSettings, TheOrderOfGreyPixelsIsAsked) {
  Checkpoint rows = rebuilt("mha_post_mean_linear", {}, {});
  rows.metadata = {};
  const ModelSummary summary = identifyModel(rows);
  ASSERT_THAT(doubtsOf(summary), Contains("pixels"));
  EXPECT_EQ(summary.setting("pixels")->choices, (Pieces{"c_p1_p2", "c_p2_p1"}));
  Checkpoint columns = rows;
  const std::string weight = "patch_embed.proj.weight";
  columns.state.insert(
      weight,
      rows.state.find(weight)->reshape({-1, 7, 7}).transpose(1, 2).reshape({-1, 49}).contiguous());
  const std::vector<float> expected = answerOf(rows, {{"pixels", "c_p1_p2"}})->logits;
  expectAlike(answerOf(columns, {{"pixels", "c_p2_p1"}})->logits, expected);
  expectAlike(answerOf(rows, {{"pixels", "p1_p2_c"}})->logits, expected);
  EXPECT_GT(std::abs(answerOf(columns, {})->logits.front() - expected.front()), 1e-3f);
  EXPECT_THAT(doubtsOf(identifyModel(rebuilt("sep_pixel_tokens", {}, {}))),
              Not(Contains("pixels")));
}

TEST(OuterSettings, AnActivationAtTheEndOfTheMlpIsAsked) {
  Checkpoint active = rebuilt("packed_keys", {"mlp.linear.4"}, {});
  ASSERT_THAT(doubtsOf(identifyModel(active)), Contains("mlp-end"));
  EXPECT_THAT(doubtsOf(identifyModel(plainNetwork({}, {}))), Not(Contains("mlp-end")));
  // ReLU leaves nothing of numbers far below 0.
  Checkpoint silent = plainNetwork({}, {});
  Checkpoint without = silent;
  for (const char* block : {"units.0.down.", "units.1.down."}) {
    const std::string bias = std::string(block) + "bias";
    const std::string weight = std::string(block) + "weight";
    silent.state.insert(bias, torch::full({24}, -1e4));
    without.state.insert(bias, torch::zeros({24}));
    without.state.insert(weight, torch::zeros({24, 36}));
  }
  expectAlike(answerOf(silent, {{"activation", "relu"}, {"mlp-end", "activation"}})->logits,
              answerOf(without, {{"activation", "relu"}})->logits);
}

TEST(OuterSettings, APackedMatrixMayHaveTheWidthOfHeadsFirst) {
  const Checkpoint chunks = plainNetwork({}, {});
  Checkpoint widths = chunks;
  for (const char* block : {"units.0.look.three.", "units.1.look.three."}) {
    const std::string weight = std::string(block) + "weight";
    const std::string bias = std::string(block) + "bias";
    widths.state.insert(weight, chunks.state.find(weight)
                                    ->reshape({3, 4, 6, 24})
                                    .permute({2, 0, 1, 3})
                                    .reshape({72, 24})
                                    .contiguous());
    widths.state.insert(
        bias,
        chunks.state.find(bias)->reshape({3, 4, 6}).permute({2, 0, 1}).reshape({72}).contiguous());
  }
  expectAlike(answerOf(widths, {{"heads", "4"}, {"qkv", "d3h"}})->logits,
              answerOf(chunks, {{"heads", "4"}})->logits);
}

TEST(OuterSettings, HeadsOfSeveralProductsHaveUsualActivations) {
  const std::map<std::string, std::function<float(float)>> activations{
      {"silu", [](float x) { return x / (1 + std::exp(-x)); }},
      {"elu", [](float x) { return x > 0 ? x : std::exp(x) - 1; }},
      {"leaky_relu", [](float x) { return x > 0 ? x : 0.01f * x; }}};
  const Checkpoint headed =
      plainNetwork({"out."}, {{"out.0.weight", {20, 24}}, {"out.2.weight", {7, 20}}});
  const Checkpoint hidden = plainNetwork({"out."}, {{"out.weight", {20, 24}}});
  Checkpoint first = hidden;
  first.state.insert("out.weight", *headed.state.find("out.0.weight"));
  const std::vector<float> inner = answerOf(first, {})->logits;
  for (const auto& [name, activation] : activations) {
    std::vector<float> logits;
    const torch::Tensor& last = *headed.state.find("out.2.weight");
    for (std::int64_t row = 0; row < last.size(0); ++row) {
      float sum = 0;
      for (std::size_t i = 0; i < inner.size(); ++i) {
        sum += last[row][static_cast<std::int64_t>(i)].item<float>() * activation(inner[i]);
      }
      logits.push_back(sum);
    }
    expectAlike(answerOf(headed, {{"head-activation", name}})->logits, logits);
  }
}

TEST(OuterSettings, TheResizingIsSaidUnlessASizeChoosesIt) {
  for (const Checkpoint& checkpoint : {plainNetwork({}, {}), rebuilt("nonlocal_dot", {}, {})}) {
    EXPECT_THAT(identifyModel(checkpoint).preparationDoubts,
                ElementsAre(AllOf(HasSubstr("whatever their proportions"), HasSubstr("--size"))));
    for (const char* size : {"28", "28x28"}) {
      ModelRequest request;
      request.size = size;
      EXPECT_THAT(identifyModel(checkpoint, request).preparationDoubts, IsEmpty()) << size;
    }
  }
}

TEST(OuterSettings, WhatIsTakenForGrantedIsSaid) {
  const std::string granted = identifyModel(plainNetwork({}, {})).takenForGranted;
  for (const char* what : {"mask", "rotated", "softmax", "docs/guide/checkpoints.md"}) {
    EXPECT_THAT(granted, HasSubstr(what));
  }
  constexpr std::size_t longest = 700;
  EXPECT_LT(granted.size(), longest);
  EXPECT_THAT(identifyModel(rebuilt("nonlocal_dot", {}, {})).takenForGranted, IsEmpty());
}

}  // namespace
}  // namespace softscope
