#include "core/array/Npz.h"
#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace softscope {
namespace {

using test::data;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string subject(const std::string& golden) {
  return "figure class -m " + data("golden/" + golden + "/checkpoint.pth") + " " +
         data("golden/" + golden + "/input.npy") + " ";
}

NamedArrays arraysOfClass(const std::string& arguments, Outcome* outcome = nullptr) {
  const TemporaryFolder folder;
  const std::string file = folder / "class.npz";
  const Outcome made = test::softscope(arguments + " --data " + file);
  if (outcome) *outcome = made;
  EXPECT_EQ(made.exitCode, 0) << made.errors;
  return made.exitCode == 0 ? readNpz(file) : NamedArrays();
}

std::vector<std::string> namesOfArrays(const NamedArrays& arrays) {
  std::vector<std::string> names;
  for (const auto& [name, array] : arrays) names.push_back(name);
  return names;
}

/// The largest difference of two arrays, relative to the largest of the second.
double farthest(const FloatArray& actual, const FloatArray& expected) {
  double difference = 0;
  double largest = 0;
  EXPECT_EQ(actual.shape, expected.shape);
  for (std::size_t i = 0; i < std::min(actual.values.size(), expected.values.size()); ++i) {
    difference = std::max<double>(difference, std::abs(actual.values[i] - expected.values[i]));
    largest = std::max<double>(largest, std::abs(expected.values[i]));
  }
  return difference / largest;
}

TEST(ClassFigure, ThePredictedClassIsThatOfTheAuthorsCode) {
  Outcome outcome;
  const NamedArrays arrays = arraysOfClass(subject("deit") + "--points 2", &outcome);
  EXPECT_THAT(namesOfArrays(arrays),
              ElementsAre("checkpoint.logit.class_9", "checkpoint.gradient_rollout.class_9",
                          "checkpoint.legrad.class_9", "checkpoint.grad_cam.class_9",
                          "checkpoint.integrated_gradients.class_9"));
  EXPECT_THAT(outcome.errors, HasSubstr("no gradient_tokens: the patches"));
  const NamedArrays golden = readNpz(data("golden/deit/class_relevance.npz"));
  const auto expected = std::ranges::find(golden, "class_9", &NamedArrays::value_type::first);
  ASSERT_NE(expected, golden.end());
  EXPECT_LT(farthest(arrays[1].second, expected->second), 1e-4);
}

TEST(ClassFigure, TwoClassesHaveADifference) {
  Outcome outcome;
  const NamedArrays arrays = arraysOfClass(
      subject("soft") + "--attention soft --method rollout --class 2 --class 5", &outcome);
  EXPECT_THAT(namesOfArrays(arrays),
              ElementsAre("checkpoint.logit.class_2", "checkpoint.gradient_rollout.class_2",
                          "checkpoint.logit.class_5", "checkpoint.gradient_rollout.class_5",
                          "checkpoint.gradient_rollout.difference"));
  EXPECT_EQ(outcome.errors, "");
}

TEST(ClassFigure, SaysWhichMethodsANetworkHasNoMapFor) {
  Outcome outcome;
  const NamedArrays arrays =
      arraysOfClass(subject("soft") + "--attention soft --points 1", &outcome);
  EXPECT_THAT(outcome.errors, HasSubstr("no legrad: LeGrad reads the class"));
  EXPECT_THAT(namesOfArrays(arrays), Not(Contains(HasSubstr("legrad"))));
  EXPECT_THAT(namesOfArrays(arrays), Contains(HasSubstr("grad_cam")));
}

TEST(ClassFigure, TakesATokenMapAtALayer) {
  const std::string tokens = subject("deit") + "--method gradcam --layer ";
  EXPECT_EQ(arraysOfClass(tokens + "blocks.0.attn").size(), 2u);
  const TemporaryFolder folder;
  const Outcome outcome =
      test::softscope(tokens + "blocks.1.attn --data " + (folder / "class.npz"));
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("choose an earlier layer"));
}

TEST(SanityFigure, WritesARowForEveryMethodAndPart) {
  const TemporaryFolder folder;
  const std::string file = folder / "sanity.csv";
  const std::string arguments = "figure sanity -m " + data("golden/deit/checkpoint.pth") + " " +
                                data("golden/deit/input.npy") + " --points 1 --class 7 --data " +
                                file;
  const Outcome outcome = test::softscope(arguments);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  const std::string table = test::contentOf(file);
  // Four methods have a map of this network.
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 1 + 4 * 4);
  EXPECT_THAT(table, HasSubstr("\ncheckpoint,7,gradient_rollout,1,head,"));
  EXPECT_THAT(table, HasSubstr("\ncheckpoint,7,grad_cam,4,embedding,"));
}

TEST(ClassFigure, RefusesInOneLine) {
  const TemporaryFolder folder;
  const std::string data = " --data " + (folder / "class.npz");
  const auto refused = [&](const std::string& options, int exitCode, const std::string& part) {
    const Outcome outcome = test::softscope(subject("deit") + options + data);
    EXPECT_EQ(outcome.exitCode, exitCode) << outcome.errors;
    EXPECT_THAT(outcome.errors, HasSubstr(part));
  };
  refused("--class 10", 1, "there is no class 10: the network has 10, numbered from 0");
  refused("--class zebra", 1, "there is no class named zebra");
  refused("--class 1 --class 2 --class 3", 2, "at most twice");
  refused("--points 0", 2, "--points");
  refused("--layer 'blocks.*'", 2, "one layer of each model");
}

TEST(ClassFigure, NotesOptionsThatTheMethodDoesNotUse) {
  const auto noted = [](const std::string& options) {
    Outcome outcome;
    arraysOfClass(subject("deit") + "--method " + options, &outcome);
    return outcome.errors;
  };
  EXPECT_THAT(noted("rollout --points 8"), HasSubstr("--points is passed over: only integrated"));
  EXPECT_THAT(noted("gradcam --entries magnitude"), HasSubstr("--entries is passed over: only"));
  EXPECT_THAT(noted("rollout --layer blocks.0.attn"),
              HasSubstr("--layer is passed over: only tokens times gradient and Grad-CAM"));
  EXPECT_EQ(noted("rollout --entries magnitude"), "");
  EXPECT_EQ(noted("gradcam --layer blocks.0.attn"), "");
  EXPECT_EQ(noted("integrated --points 2"), "");
}

TEST(SanityFigure, NotesThatItIsOfNoLayer) {
  const TemporaryFolder folder;
  const Outcome outcome = test::softscope("figure sanity -m " + data("golden/deit/checkpoint.pth") +
                                          " " + data("golden/deit/input.npy") +
                                          " --method gradcam --points 2 --layer nope --data " +
                                          (folder / "sanity.csv"));
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("--layer is of figures that show layers; figure sanity "
                                        "passes over it"));
  EXPECT_THAT(outcome.errors, HasSubstr("--points is passed over: "));
  EXPECT_THAT(test::softscope("figure sanity --help").output, Not(HasSubstr("--layer ")));
}

}  // namespace
}  // namespace softscope
