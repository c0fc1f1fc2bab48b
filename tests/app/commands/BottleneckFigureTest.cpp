#include "core/array/Npz.h"
#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace softscope {
namespace {

using test::contentOf;
using test::data;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string goldenBottleneck(const std::string& folder) {
  return "-m " + data("golden/" + folder + "/checkpoint.pth") + " " +
         data("golden/" + folder + "/input.npy") + " ";
}

const FloatArray& find(const NamedArrays& arrays, const std::string& name) {
  for (const auto& [other, array] : arrays) {
    if (other == name) return array;
  }
  ADD_FAILURE() << "no " << name;
  return arrays.front().second;
}

TEST(BottleneckFigure, DataAreTheMatricesOfTheAuthorsCode) {
  const TemporaryFolder folder;
  const std::string file = folder / "bottleneck.npz";
  const Outcome outcome =
      test::softscope("figure bottleneck " + goldenBottleneck("soft") +
                      "--layer block1.0.att.mha.attn --head 1 --landmark 5 --data " + file);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  const NamedArrays arrays = readNpz(file);
  ASSERT_EQ(arrays.size(), 7u);
  const std::string name = "checkpoint.block1_0_att_mha_attn.head_1.";
  const FloatArray kernel = readNpy(data("golden/soft/block1_0_att_mha_attn.A.npy"));
  const auto size = static_cast<std::size_t>(kernel.shape[1]);
  const FloatArray& written = find(arrays, name + "A");
  EXPECT_THAT(written.shape, ElementsAre(kernel.shape[1], kernel.shape[2]));
  double trace = 0;
  for (std::size_t i = 0; i < size * size; ++i) {
    EXPECT_NEAR(written.values[i], kernel.values[size * size + i], 1e-4);
  }
  for (const float value : find(arrays, name + "eigenvalues").values) trace += value;
  EXPECT_NEAR(trace, static_cast<double>(size), 1e-3) << "the diagonal is 1";
  EXPECT_NEAR(find(arrays, name + "eigenvalues_normalised").values[0], 1, 1e-5);
  EXPECT_THAT(find(arrays, name + "landmark_5").shape, ElementsAre(24, 32));
}

TEST(BottleneckFigure, ApproximationsAreMeasuredAgainstTheKernelOfTheStoredQueries) {
  const TemporaryFolder folder;
  const std::string file = folder / "approximation.npz";
  const std::string svg = folder / "approximation.svg";
  const Outcome outcome = test::softscope(
      "figure bottleneck " + goldenBottleneck("soft") +
      "--layer block1.0.att.mha.attn --approximation --query 3,5 --data " + file + " -o " + svg);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  const NamedArrays arrays = readNpz(file);
  const std::string name = "checkpoint.block1_0_att_mha_attn.head_0.";
  const FloatArray& exact = find(arrays, name + "exact.row_3_5");
  const FloatArray query = readNpy(data("golden/soft/block1_0_att_mha_attn.q.npy"));
  const auto width = static_cast<std::size_t>(query.shape[2]);
  const std::size_t token = 3 * 32 + 5;
  for (std::size_t key = 0; key < exact.values.size(); ++key) {
    double distance = 0;
    for (std::size_t channel = 0; channel < width; ++channel) {
      distance += std::pow(double(query.values[token * width + channel]) -
                               double(query.values[key * width + channel]),
                           2);
    }
    EXPECT_NEAR(exact.values[key], std::exp(-distance / (2 * std::sqrt(double(width)))), 1e-4);
  }
  EXPECT_THAT(find(arrays, name + "nystrom.row_3_5").shape, ElementsAre(24, 32));
  EXPECT_GT(find(arrays, name + "approximation_relative_frobenius").values[0], 0);
  EXPECT_THAT(contentOf(svg), HasSubstr("relative Frobenius error"));
}

TEST(BottleneckFigure, NystromformerHasOneToo) {
  const TemporaryFolder folder;
  const std::string file = folder / "bottleneck.npz";
  const std::string layer = "--attention nystromformer --layer tokens_to_token.attention1.attn ";
  Outcome outcome = test::softscope("figure bottleneck " + goldenBottleneck("t2t_nystromformer") +
                                    layer + "--data " + file + " -o " + (folder / "x.svg"));
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  // It is not symmetric: its eigenvalues may be complex.
  EXPECT_EQ(find(readNpz(file), "checkpoint.tokens_to_token_attention1_attn.head_0.eigenvalues")
                .shape.front(),
            64);
  outcome = test::softscope("figure bottleneck " + goldenBottleneck("t2t_nystromformer") + layer +
                            "--approximation -o " + (folder / "y.svg"));
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(contentOf(folder / "y.svg"), HasSubstr("exact softmax"));
}

TEST(BottleneckFigure, AllHeadsOfAllLayersThatHaveLandmarks) {
  const TemporaryFolder folder;
  const std::string file = folder / "bottleneck.npz";
  const Outcome outcome = test::softscope("figure bottleneck " + goldenBottleneck("soft") +
                                          "--layer all --head all --data " + file);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("block4.0.attn is left out"));
  EXPECT_EQ(outcome.errorLines(), 1);
  EXPECT_EQ(readNpz(file).size(), 7u * (2 + 2 + 2 + 3));
}

TEST(BottleneckFigure, WhatCannotBeIsOneLine) {
  const std::string soft = "figure bottleneck " + goldenBottleneck("soft") + "-o /tmp/x.png ";
  for (const auto& [arguments, code] :
       {std::pair<std::string, int>{soft + "--layer block4.0.attn", 1},
        {soft + "--layer block4.0.attn --approximation", 1},
        {soft + "--landmark 999", 1},
        {soft + "--head 17", 1},
        {soft + "--approximation --query 99,0", 1},
        {soft + "--landmark -1", 2},
        {soft + "--head mean", 2},
        {soft + "--head max", 2},
        {soft + "--approximation --landmark 3", 2},
        {"figure bottleneck " + goldenBottleneck("deit") + "-o /tmp/x.png", 1},
        {"figure heads " + goldenBottleneck("soft") + "-o /tmp/x.png --landmark 3", 2}}) {
    const Outcome outcome = test::softscope(arguments);
    EXPECT_EQ(outcome.exitCode, code) << arguments << '\n' << outcome.errors;
    EXPECT_EQ(outcome.errorLines(), 1) << arguments << '\n' << outcome.errors;
  }
}

}  // namespace
}  // namespace softscope
