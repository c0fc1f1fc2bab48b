#include "core/array/Npy.h"
#include "core/array/Npz.h"
#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace softscope {
namespace {

using test::contentOf;
using test::data;
using test::Outcome;
using test::rowsOfCsv;
using test::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string landmarksSoft = data("golden/soft/checkpoint.pth") + " ";
const std::string landmarksInput = data("golden/soft/input.npy") + " ";
const std::string landmarksDeit = data("golden/deit/checkpoint.pth") + " ";

TEST(Landmarks, ADumpHasThoseThatWereAskedFor) {
  const TemporaryFolder folder;
  const auto dump = [&](const std::string& name, const std::string& options) {
    const Outcome outcome = test::softscope("dump -m " + landmarksSoft + landmarksInput + options +
                                            " -o " + (folder / name));
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  };
  dump("plain", "--rows 0");
  dump("trained", "--rows 0 --landmarks trained");
  dump("random", "--rows 0 --landmarks random --landmark-count 9 --landmark-seed 5");
  dump("seeded", "--rows 0 --landmarks random --landmark-count 9 --seed 5");
  EXPECT_TRUE(contentOf(folder / "random/layers.json") == contentOf(folder / "seeded/layers.json"));
  for (const char* file : {"layers.json", "logits.npy", "block1_0_att_mha_attn.npy",
                           "block1_0_att_mha_attn.A.npy", "block2_1_att_mha_attn.A_inv.npy"}) {
    const std::string name = std::string("/") + file;
    EXPECT_TRUE(contentOf(folder / ("plain" + name)) == contentOf(folder / ("trained" + name)))
        << file;
  }
  EXPECT_THAT(readNpy(folder / "random/block1_0_att_mha_attn.A.npy").shape, ElementsAre(2, 9, 9));
  const auto layers = nlohmann::json::parse(contentOf(folder / "random/layers.json"));
  EXPECT_EQ(layers[0]["landmarks"], 9);
  EXPECT_EQ(layers[0]["landmark_tokens"].size(), 9u);
  EXPECT_FALSE(nlohmann::json::parse(contentOf(folder / "plain/layers.json"))[0].contains(
      "landmark_tokens"));
}

TEST(Landmarks, InspectAndTitlesNameThem) {
  Outcome outcome = test::softscope("inspect " + landmarksSoft + "--landmarks pooled");
  EXPECT_THAT(
      outcome.output,
      HasSubstr("soft, assumed (it may be soft++: --attention), pooled landmarks, not what was "
                "trained\n"));
  outcome =
      test::softscope("inspect " + landmarksSoft + "--json --landmarks random --landmark-seed 2");
  const auto json = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(json["landmarks"]["source"], "random");
  EXPECT_EQ(json["landmarks"]["seed"], 2);
  const TemporaryFolder folder;
  const std::string figure =
      "figure heads -m " + landmarksSoft + landmarksInput + "--layer block1.0.att.mha.attn ";
  outcome = test::softscope(figure + "--landmarks pooled -o " + (folder / "pooled.svg"));
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(contentOf(folder / "pooled.svg"),
              HasSubstr("SOFT (pooled landmarks, not what was trained)"));
  outcome = test::softscope(figure + "-o " + (folder / "trained.svg"));
  EXPECT_THAT(contentOf(folder / "trained.svg"), Not(HasSubstr("trained)")));
}

TEST(Landmarks, BelongToEachModelOrToAll) {
  const TemporaryFolder folder;
  const Outcome outcome = test::softscope(
      "figure compare -m " + landmarksSoft + "-m " + landmarksSoft + landmarksInput +
      "--landmarks trained --landmarks first --landmark-count 6 --layer block1.0.att.mha.attn -o " +
      (folder / "compare.svg"));
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(
      contentOf(folder / "compare.svg"),
      AllOf(HasSubstr("12 landmarks"), HasSubstr("(6 first landmarks, not what was trained)")));
}

TEST(Landmarks, ThatCannotBeAreOneLine) {
  const std::string dump = "dump -m " + landmarksSoft + landmarksInput + "-o /tmp/x ";
  const std::string table =
      "figure bottleneck -m " + landmarksSoft + landmarksInput + "--landmarks all ";
  for (const auto& [arguments, code, phrase] :
       std::vector<std::tuple<std::string, int, std::string>>{
           {"inspect " + landmarksDeit + "--landmarks first", 1,
            "which has no landmarks to choose"},
           {"inspect " + data("golden/sima/checkpoint.pth") + " --landmarks pooled", 1,
            "SOFT, SOFT++ or Nyströmformer"},
           {dump + "--landmarks pooled --landmark-count 13", 1, "cells"},
           {dump + "--landmarks random --landmark-count 769", 1, "--landmark-count"},
           {dump + "--landmarks middle", 2, "--landmarks"},
           {dump + "--landmark-count 9", 2, "--landmark-count belongs to"},
           {dump + "--landmarks pooled --landmark-seed 9", 2, "--landmark-seed belongs to"},
           {dump + "--landmarks all", 2, "figure bottleneck --approximation"},
           {table + "--data /tmp/x.csv", 2, "--approximation"},
           {table + "--approximation --data /tmp/x.npz", 2, ".csv"},
           {table + "--approximation --landmark-count 4 --landmark-counts 4,9 -o /tmp/x.svg", 2,
            "not both"},
           {"figure bottleneck -m " + landmarksSoft + landmarksInput +
                "--approximation --landmark-counts 4,9 -o /tmp/x.svg",
            2, "--landmarks all"},
           {"figure bottleneck -m " + landmarksSoft + landmarksInput +
                "--landmarks pooled --rerun -o /tmp/x.svg",
            2, "--approximation"},
           {"figure bottleneck -m " + landmarksSoft + landmarksInput +
                "--approximation --rerun -o /tmp/x.svg",
            2, "--landmarks"},
           {table + "--approximation --landmark-seed 1 --landmark-seed 2 --data /tmp/x.csv", 2,
            "once"},
           {table + "--approximation --layer block4.0.attn --data /tmp/x.csv", 1,
            "approximates no kernel"}}) {
    const Outcome outcome = test::softscope(arguments);
    EXPECT_EQ(outcome.exitCode, code) << arguments << '\n' << outcome.errors;
    EXPECT_EQ(outcome.errorLines(), 1) << arguments << '\n' << outcome.errors;
    EXPECT_THAT(outcome.errors, HasSubstr(phrase)) << arguments;
  }
}

TEST(Landmarks, ATableComparesAllChoices) {
  const TemporaryFolder folder;
  const std::string file = folder / "landmarks.csv";
  const Outcome outcome =
      test::softscope("figure bottleneck -m " + landmarksSoft + landmarksInput +
                      "--approximation --landmarks all --layer all --head all --data " + file);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_EQ(outcome.errorLines(), 1) << "block4.0.attn, once: " << outcome.errors;
  const auto rows = rowsOfCsv(file);
  ASSERT_EQ(rows.size(), 1u + 4 * (2 + 2 + 2 + 3));
  EXPECT_THAT(rows[0], ElementsAre("model", "layer", "head", "landmarks", "count", "relative_error",
                                   "rank_bound", "rescaled_error", "exact_relative_error",
                                   "exact_rescaled_error", "tokens", "smallest_entry",
                                   "largest_singular_value"));
  std::set<std::string> choices;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), 13u);
    choices.insert(rows[i][3]);
    EXPECT_EQ(rows[i][4], "12");
    EXPECT_GE(std::stod(rows[i][5]), std::stod(rows[i][6])) << "no matrix of that rank is nearer";
  }
  EXPECT_THAT(choices, ElementsAre("first", "pooled", "random", "trained"));
}

/// The kernels by layer and head: their smallest entries and largest singular values.
std::map<std::string, std::set<std::string>> kernelsOf(
    const std::vector<std::vector<std::string>>& rows) {
  std::map<std::string, std::set<std::string>> kernels;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    kernels[rows[i][1] + " " + rows[i][2]].insert(rows[i][11] + " " + rows[i][12]);
  }
  return kernels;
}

TEST(Landmarks, AreComparedOnTheKernelOfTheNetworkAsItWasTrainedUnlessItRunsAnew) {
  const TemporaryFolder folder;
  const auto table = [&](const std::string& name, const std::string& options) {
    const std::string file = folder / (name + ".csv");
    const Outcome outcome =
        test::softscope("figure bottleneck -m " + landmarksSoft + landmarksInput +
                        "--approximation --landmarks all --layer 'block[123]*' --head all --data " +
                        file + options);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_EQ(outcome.errors, "");
    return rowsOfCsv(file);
  };
  const auto trained = kernelsOf(table("trained", ""));
  const auto rerun = kernelsOf(table("rerun", " --rerun"));
  ASSERT_EQ(trained.size(), 2u + 2 + 2 + 3);
  ASSERT_EQ(rerun.size(), trained.size());
  for (const auto& [head, kernels] : trained) {
    EXPECT_EQ(kernels.size(), 1u) << head << ": one kernel whatever stands for it";
    const bool first = head.rfind("block1.0", 0) == 0;
    EXPECT_EQ(rerun.at(head).size(), first ? 1u : 4u) << head;
  }
}

TEST(Landmarks, ASingleChoiceIsOfTheSameKernelToo) {
  const TemporaryFolder folder;
  const auto arrays = [&](const std::string& name, const std::string& options) {
    const std::string file = folder / (name + ".npz");
    const Outcome outcome = test::softscope(
        "figure bottleneck -m " + landmarksSoft + landmarksInput +
        "--approximation --layer block2.0.att.mha.attn --query 1,2 --data " + file + options);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    std::map<std::string, std::vector<float>> values;
    for (const auto& [array, numbers] : readNpz(file)) values[array] = numbers.values;
    return values;
  };
  const std::string head = "checkpoint.block2_0_att_mha_attn.head_0.";
  auto own = arrays("own", "");
  auto pooled = arrays("pooled", " --landmarks pooled");
  auto rerun = arrays("rerun", " --landmarks pooled --rerun");
  EXPECT_EQ(pooled[head + "exact.row_1_2"], own[head + "exact.row_1_2"]);
  EXPECT_NE(pooled[head + "nystrom.row_1_2"], own[head + "nystrom.row_1_2"]);
  EXPECT_NE(rerun[head + "exact.row_1_2"], own[head + "exact.row_1_2"]);
  for (auto* values : {&own, &pooled, &rerun}) {
    EXPECT_LE((*values)[head + "exact_inverse_rescaled_frobenius"][0],
              (*values)[head + "exact_inverse_relative_frobenius"][0]);
    EXPECT_FALSE((*values)[head + "exact_inverse.row_1_2"].empty());
  }
}

/// What docs/claims.md says of the SOFT that its authors' own code trained: its landmarks lie far
/// from all queries, and the form approximates nothing with them.
TEST(Landmarks, TrainedByTheAuthorsCodeApproximateNothingAndMeansOfQueriesDo) {
  const TemporaryFolder folder;
  const std::string file = folder / "landmarks.csv";
  const Outcome outcome = test::softscope(
      "figure bottleneck -m " + data("authors/soft_everyday10.safetensors") + " " +
      SOFTSCOPE_SOURCE + "/resources/pictures/chelsea.png --size 96 --layer all --head all " +
      "--approximation --landmarks all --data " + file);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  int heads = 0;
  for (const auto& row : rowsOfCsv(file)) {
    if (row[3] == "trained") {
      ++heads;
      EXPECT_NEAR(std::stod(row[5]), 1, 1e-3) << row[1] << ", head " << row[2];
    } else if (row[3] == "pooled") {
      EXPECT_LT(std::stod(row[5]), 0.5) << row[1] << ", head " << row[2];
    }
  }
  EXPECT_EQ(heads, 17);
}

TEST(Landmarks, ATableTakesTheirNumberForThoseThatAreNotAsTrained) {
  const TemporaryFolder folder;
  const std::string file = folder / "landmarks.csv";
  const Outcome outcome =
      test::softscope("figure bottleneck -m " + landmarksSoft + landmarksInput +
                      "--approximation --landmarks all --landmark-count 20 --landmark-seed 3 "
                      "--layer block1.0.att.mha.attn --data " +
                      file);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  std::map<std::string, std::string> counts;
  for (const auto& row : rowsOfCsv(file)) counts[row[3]] = row[4];
  EXPECT_EQ(counts["trained"], "12");
  EXPECT_EQ(counts["pooled"], "20");
  EXPECT_EQ(counts["random"], "20");
}

TEST(Landmarks, ACurveComparesTheirNumbers) {
  const TemporaryFolder folder;
  const std::string file = folder / "landmarks.csv";
  const Outcome outcome = test::softscope(
      "figure bottleneck -m " + landmarksSoft + landmarksInput +
      "--approximation --landmarks all --landmark-counts 4,37,20 --layer block1.0.att.mha.attn "
      "--data " +
      file + " -o " + (folder / "landmarks.svg"));
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("37 pooled landmarks are left out"));
  std::map<std::string, std::string> counts;
  for (const auto& row : rowsOfCsv(file)) counts[row[3]] += row[4] + " ";
  EXPECT_EQ(counts["trained"], "12 ");
  EXPECT_EQ(counts["pooled"], "4 20 ");
  EXPECT_EQ(counts["random"], "4 37 20 ");
  const std::string figure = contentOf(folder / "landmarks.svg");
  EXPECT_THAT(figure, AllOf(HasSubstr("landmarks m"), HasSubstr("pooled, best of rank m")));
}

}  // namespace
}  // namespace softscope
