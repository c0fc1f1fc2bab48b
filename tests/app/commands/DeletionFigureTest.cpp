#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace softscope {
namespace {

using test::contentOf;
using test::data;
using test::Outcome;
using test::rowsOfCsv;
using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

const std::string deletionDeit = " -m " + data("golden/deit/checkpoint.pth") +
                                 " --attention softmax " + data("golden/deit/input.npy");

TEST(DeletionFigure, WritesEveryPointOfEveryCurve) {
  const TemporaryFolder folder;
  for (const std::string removal : {"mean", "blur", "tokens"}) {
    SCOPED_TRACE(removal);
    const std::string file = folder / (removal + ".csv");
    const Outcome outcome = test::softscope("figure deletion" + deletionDeit + " --removal " +
                                            removal + " --steps 6 --random 3 --data " + file);
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_EQ(outcome.output, file + "\n");
    const auto rows = rowsOfCsv(file);
    EXPECT_THAT(rows[0], ElementsAre("model", "ordering", "curve", "fraction", "probability",
                                     "area", "deviation", "area_deviation", "layer", "class",
                                     "better_than", "as_good_as", "random_orders"));
    // Both saliencies, class attention, rollout, received, four class maps, random; two curves of
    // seven points.
    ASSERT_EQ(rows.size(), 1u + 10 * 2 * 7);
    std::map<std::string, double> areas;
    for (std::size_t first = 1; first < rows.size(); first += 7) {
      double area = 0;
      for (std::size_t i = first + 1; i < first + 7; ++i) {
        area += (std::stod(rows[i][3]) - std::stod(rows[i - 1][3])) *
                (std::stod(rows[i][4]) + std::stod(rows[i - 1][4])) / 2;
      }
      EXPECT_NEAR(std::stod(rows[first][5]), area, 1e-12) << rows[first][1];
      EXPECT_EQ(rows[first][6].empty(), rows[first][1] != "random");
      EXPECT_EQ(rows[first][10].empty(), rows[first][1] == "random");
      EXPECT_EQ(rows[first][12], "3");
      areas[rows[first][1]] = area;
    }
    std::vector<std::string> names;
    for (const auto& [name, area] : areas) names.push_back(name);
    EXPECT_THAT(names, UnorderedElementsAre("query_saliency", "key_saliency", "class_attention",
                                            "rollout", "received", "gradient_rollout", "legrad",
                                            "grad_cam", "integrated_gradients", "random"));
  }
  EXPECT_NE(contentOf(folder / "mean.csv"), contentOf(folder / "blur.csv"));
}

TEST(DeletionFigure, IsTheSameEveryTime) {
  const TemporaryFolder folder;
  for (const char* name : {"first", "second"}) {
    const Outcome outcome = test::softscope(
        "figure deletion" + deletionDeit + " --steps 4 --random 2 --data " +
        (folder / (std::string(name) + ".csv")) + " -o " + (folder / (std::string(name) + ".svg")));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  }
  EXPECT_EQ(contentOf(folder / "first.csv"), contentOf(folder / "second.csv"));
  EXPECT_TRUE(contentOf(folder / "first.svg") == contentOf(folder / "second.svg"));
  EXPECT_THAT(contentOf(folder / "first.svg"), HasSubstr("<text"));
}

TEST(DeletionFigure, SaysWhatItCannotDo) {
  const TemporaryFolder folder;
  const std::string soft = " -m " + data("golden/soft/checkpoint.pth") + " --attention soft " +
                           data("golden/soft/input.npy") + " --data " + (folder / "out.csv");
  Outcome outcome = test::softscope("figure deletion" + soft + " --removal tokens");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_EQ(outcome.errorLines(), 1);
  EXPECT_THAT(outcome.errors, HasSubstr("choose another removal"));
  outcome = test::softscope("figure deletion" + soft + " --class 5000");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("no class 5000"));
  outcome = test::softscope("figure deletion -m " + data("golden/xcit/checkpoint.pth") + " " +
                            data("golden/xcit/input.npy") + " --steps 2 --random 1 --data " +
                            (folder / "out.csv"));
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_THAT(outcome.errors, HasSubstr("no received of blocks."));
  EXPECT_THAT(outcome.errors, HasSubstr("its keys are no patches of the picture"));
  outcome = test::softscope("figure heads" + soft + " --removal blur");
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("belongs to figure deletion"));
}

TEST(DeletionFigure, IsOfSeveralModelsAndLayers) {
  const TemporaryFolder folder;
  const std::string file = folder / "out.csv";
  const Outcome outcome = test::softscope(
      "figure deletion -m " + data("golden/deit/checkpoint.pth") + " --attention softmax" +
      deletionDeit + " --layer all --steps 2 --random 0 --data " + file + " -o " +
      (folder / "out.png"));
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  // Of two layers both saliencies and what is received, and six maps of the whole network.
  EXPECT_EQ(rowsOfCsv(file).size(), 1u + 2 * (2 * 3 + 2 + 4) * 2 * 3);
  EXPECT_THAT(contentOf(file), HasSubstr("\ncheckpoint_2,received,insertion,1,"));
}

}  // namespace
}  // namespace softscope
