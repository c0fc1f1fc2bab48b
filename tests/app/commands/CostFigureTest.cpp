#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace softscope {
namespace {

using test::contentOf;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(CostFigure, WritesFigureAndTableWithoutModelOrPicture) {
  const TemporaryFolder folder;
  const Outcome outcome = test::softscope(
      "figure cost --over tokens --mechanisms softmax,sima,soft --tokens 128,64 --threads 1 -o " +
      (folder / "cost.svg") + " --data " + (folder / "cost.csv"));
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  // Where the machine is busy a line says so.
  EXPECT_THAT(outcome.errors, AnyOf(IsEmpty(), EndsWith("measure again when nothing else runs\n")));
  EXPECT_LE(outcome.errorLines(), 1);
  std::istringstream table(contentOf(folder / "cost.csv"));
  std::string line;
  std::getline(table, line);
  EXPECT_EQ(line,
            "scope,mechanism,tokens,channels,heads,milliseconds,bytes,peak_bytes,pass,device,"
            "median,quartile_1,quartile_3,runs,cores_lost");
  for (const char* begin : {"attention,softmax,64,384,12,", "attention,softmax,128,384,12,",
                            "attention,sima,64,384,12,", "attention,sima,128,384,12,",
                            "attention,soft,64,384,12,", "attention,soft,128,384,12,"}) {
    ASSERT_TRUE(std::getline(table, line));
    EXPECT_EQ(line.substr(0, std::string(begin).size()), begin);
  }
  EXPECT_FALSE(std::getline(table, line));
  EXPECT_THAT(contentOf(folder / "cost.svg"), HasSubstr("tokens n"));
}

TEST(CostFigure, VariesChannelsAndHeadsToo) {
  const TemporaryFolder folder;
  const std::string common =
      "figure cost --mechanisms sima --tokens 64 --data " + (folder / "cost.csv") + " --threads 1 ";
  ASSERT_EQ(test::softscope(common + "--over heads --heads 1,2 --channels 24").exitCode, 0);
  EXPECT_THAT(contentOf(folder / "cost.csv"), HasSubstr("\nattention,sima,64,24,2,"));
  ASSERT_EQ(
      test::softscope(common + "--over channels --channels 24,48 --heads 6 --scope vit12").exitCode,
      0);
  EXPECT_THAT(contentOf(folder / "cost.csv"), HasSubstr("\nvit12,sima,64,48,6,"));
}

TEST(CostFigure, DropsNoneOfSeveralNumbers) {
  const TemporaryFolder folder;
  const auto expectRefused = [&](const std::string& options, const std::string& named) {
    const std::string table = folder / "cost.csv";
    test::expectOneLine(test::softscope("figure cost --mechanisms sima --threads 1 --data " +
                                        table + " " + options),
                        2, named);
  };
  expectRefused("--over channels --tokens 64,128 --channels 48,96",
                "--tokens is one number unless the cost is measured over tokens, and here it is "
                "over channels; add --over tokens, or give one number of tokens");
  expectRefused("--heads 1,2,4", "add --over heads");
  expectRefused("--over heads --channels 48,96", "add --over channels");
}

TEST(CostFigure, LeavesOutWhatWouldTakeMoreMemoryThanItMay) {
  const TemporaryFolder folder;
  const std::string table = folder / "cost.csv";
  const Outcome outcome = test::softscope(
      "figure cost --mechanisms softmax,sima --tokens 64,512 --heads 1 --threads 1 --memory 1 "
      "--data " +
      table);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("softmax is left out from 512 tokens on"));
  EXPECT_THAT(contentOf(table), HasSubstr("\nattention,softmax,64,"));
  EXPECT_THAT(contentOf(table), ::testing::Not(HasSubstr("\nattention,softmax,512,")));
  EXPECT_THAT(contentOf(table), HasSubstr("\nattention,sima,512,"));
}

TEST(CostFigure, TakesBackwardPassesToo) {
  const TemporaryFolder folder;
  const std::string table = folder / "cost.csv";
  const std::string figure = folder / "cost.svg";
  const Outcome outcome = test::softscope(
      "figure cost --pass training --scope vit12 --mechanisms xca_channel,sima --tokens 64 "
      "--threads 1 --data " +
      table + " -o " + figure);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(contentOf(table), HasSubstr("\nvit12,xca_channel,64,384,12,"));
  EXPECT_THAT(contentOf(table), HasSubstr(",training,cpu,"));
  EXPECT_THAT(contentOf(table), ::testing::Not(HasSubstr(",forward,")));
  EXPECT_THAT(contentOf(figure), HasSubstr("cost of a forward and a backward pass"));
}

TEST(CostFigure, SaysWhereADeviceIsNotThere) {
  const Outcome outcome =
      test::softscope("figure cost --device cuda:99 --mechanisms sima --data /tmp/none.csv");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("device cuda:99 is not there; found: cpu"));
}

TEST(CostFigure, NumbersArePrintedBesideWhatLibrariesWarnOf) {
  const TemporaryFolder folder;
  const std::string table = folder / "cost.csv";
  // The loader of every process then writes to standard error, as CUDA's libraries sometimes do.
  const Outcome outcome =
      test::softscope("figure cost --mechanisms sima --over tokens --tokens 64 --data " + table,
                      "LD_DEBUG=statistics");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(contentOf(table), HasSubstr("attention,sima,64,"));
}

TEST(CostFigure, OnePointIsALineOfJson) {
  const Outcome outcome = test::softscope("measure-cost --mechanism soft --tokens 64 --threads 1");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 1);
  const auto numbers = nlohmann::json::parse(outcome.output);
  EXPECT_GT(numbers["milliseconds"].get<double>(), 0);
  EXPECT_GT(numbers["bytes"].get<int>(), 0);
  // The process itself holds more, which does not count.
  EXPECT_LT(numbers["peak_bytes"].get<int>(), 100 << 20);
  EXPECT_GE(numbers["median"].get<double>(), numbers["milliseconds"].get<double>());
  EXPECT_GE(numbers["runs"].get<int>(), 3);
  EXPECT_EQ(test::softscope("--help").output.find("measure-cost"), std::string::npos);
}

TEST(CostFigure, WhatCannotBeMeantIsSaid) {
  const std::string start = "figure cost --data /tmp/none.csv ";
  EXPECT_EQ(test::softscope(start + "cat.jpg").exitCode, 2);
  EXPECT_EQ(test::softscope(start + "-m soft.pth").exitCode, 2);
  EXPECT_EQ(test::softscope(start + "--over time").exitCode, 2);
  EXPECT_EQ(test::softscope("figure cost --data none.npz").exitCode, 2);
  for (const char* wrong :
       {"--mechanisms magic", "--mechanisms sima --heads 7", "--mechanisms soft --tokens 12"}) {
    const Outcome outcome = test::softscope(start + wrong);
    EXPECT_EQ(outcome.exitCode, 1) << wrong;
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
  }
}

TEST(CostFigure, NotesWhatIsOfModels) {
  const TemporaryFolder folder;
  const Outcome outcome =
      test::softscope("figure cost --mechanisms sima --tokens 64 --heads 1 --threads 1 --data " +
                      (folder / "cost.csv") +
                      " --attention soft --arch foo --size 64 --exif off --layer x --class-names "
                      "none --weights raw "
                      "--name A --landmarks pooled");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  for (const char* option : {"--attention", "--arch", "--size", "--exif", "--layer",
                             "--class-names", "--weights", "--name", "--landmarks"}) {
    EXPECT_THAT(outcome.errors, HasSubstr(std::string("softscope: ") + option + " is of figures "));
  }
  for (const char* taken : {"--heads", "--threads"}) {
    EXPECT_THAT(outcome.errors, ::testing::Not(HasSubstr(taken)));
  }
}

}  // namespace
}  // namespace softscope
