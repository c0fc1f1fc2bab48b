#include "tests/app/commands/Run.h"
#include "tests/core/survey/reading/WrittenSurvey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace softscope {
namespace {

using test::contentOf;
using test::Outcome;
using test::SmallSurvey;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class SurveyFigureCommandTest : public testing::Test {
 protected:
  void SetUp() override { SmallSurvey::write(survey_); }

  Outcome figure(const std::string& options) {
    return test::softscope("figure survey " + survey_ + " " + options);
  }
  void expectOneLine(const std::string& options, int exitCode, const std::string& phrase) {
    test::expectOneLine(figure(options), exitCode, phrase);
  }

  test::TemporaryFolder folder_;
  const std::string survey_ = folder_ / "small.survey";
};

TEST_F(SurveyFigureCommandTest, DrawsEveryViewInEveryFormat) {
  const std::pair<const char*, const char*> asked[] = {
      {"--measure distance", "boxes.png"},
      {"--measure distance --by class", "classes.svg"},
      {"--measure distance --view means", "means.pdf"},
      {"--measure accuracy --view differences", "differences.svg"},
      {"--measure line_score --view histogram --theme dark", "bars.png"},
      {"--measure line_score --against distance", "scatter.svg"}};
  for (const auto& [options, name] : asked) {
    const std::string file = folder_ / name;
    const Outcome outcome = figure(std::string(options) + " -o " + file);
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_EQ(outcome.output, file + "\n");
    EXPECT_GT(contentOf(file).size(), 2000u) << name;
  }
  EXPECT_THAT(contentOf(folder_ / "boxes.png"), StartsWith("\x89PNG"));
  EXPECT_THAT(contentOf(folder_ / "means.pdf"), StartsWith("%PDF"));
}

TEST_F(SurveyFigureCommandTest, WritesTheNumbersBehindIt) {
  const auto numbers = [&](const std::string& options) {
    const std::string file = folder_ / "numbers.csv";
    const Outcome outcome = figure(options + " --data " + file);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    return contentOf(file);
  };
  EXPECT_THAT(numbers("--measure distance -m sima --layer 'fir*' --head 0"),
              testing::MatchesRegex("model,layer,head,measure,count,mean,[a-z_,0-9]*\n"
                                    "sima,first,0,distance,5,11.5,[0-9.,]*\n"));
  EXPECT_THAT(numbers("--measure distance --view differences"),
              HasSubstr("\nsima,soft,first,0,distance,,5,1,0,1,1,3,1,1,1,1\n"));
  EXPECT_THAT(numbers("--measure accuracy --against distance"),
              StartsWith("model,layer,head,picture,class,accuracy,distance\n"));
}

TEST_F(SurveyFigureCommandTest, SaysWhatIsWrong) {
  const std::string output = " -o " + (folder_ / "x.png");
  expectOneLine(output, 2, "--measure, one of accuracy, spread, line_score, distance");
  expectOneLine("--measure depth" + output, 1, "no measure \"depth\"");
  expectOneLine("--measure distance -m deit" + output, 1, "soft, sima");
  expectOneLine("--measure distance --layer third" + output, 1, "first, second");
  expectOneLine("--measure distance --head mean" + output, 2, "mean over heads");
  expectOneLine("--measure distance --view scatter" + output, 2, "--against");
  expectOneLine("--measure distance --against accuracy --view means" + output, 2, "--view");
  expectOneLine("--measure distance --view differences -m soft" + output, 1, "two models");
  expectOneLine("--measure distance --data x.npz", 2, ".csv");
  EXPECT_EQ(test::softscope("figure survey --measure distance" + output).exitCode, 2);
  std::ofstream(survey_) << "no survey";
  expectOneLine("--measure distance" + output, 1, "is not a survey");
}

TEST_F(SurveyFigureCommandTest, LeavesTheOverviewItsMeasures) {
  const Outcome outcome = test::softscope(
      "figure overview --measure depth -m " + test::data("golden/soft/checkpoint.pth") + " " +
      test::data("golden/soft/input.npy") + " --data " + (folder_ / "x.csv"));
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("distance, entropy or entries"));
}

TEST_F(SurveyFigureCommandTest, SaysWhichChoicesAMeasurePassesOver) {
  const std::string output = " --layer first --head 0 --data " + (folder_ / "x.csv");
  const Outcome ofModels = figure("--measure accuracy" + output);
  EXPECT_THAT(ofModels.errors, HasSubstr("--head is passed over: accuracy is of whole models"));
  EXPECT_THAT(ofModels.errors, HasSubstr("--layer is passed over: accuracy is of whole models"));
  const Outcome ofLayers = figure("--measure spread" + output);
  EXPECT_THAT(ofLayers.errors, HasSubstr("--head is passed over: spread is of whole layers"));
  EXPECT_EQ(ofLayers.errorLines(), 1) << ofLayers.errors;
  EXPECT_EQ(figure("--measure distance" + output).errors, "");
  EXPECT_EQ(figure("--measure accuracy --against distance" + output).errors, "")
      << "heads have the accuracy of their model beside their distance";
}

TEST_F(SurveyFigureCommandTest, SaysThatASurveyIsAPartOfOne) {
  const auto errorsOf = [this](const std::string& command) {
    const Outcome outcome = test::softscope(command);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    return outcome.errors;
  };
  const std::string drawn =
      "figure survey " + survey_ + " --measure distance --data " + (folder_ / "x.csv");
  const std::string listed = "table " + survey_ + " --summary";
  EXPECT_EQ(errorsOf(drawn), "");
  Database(survey_, Database::Mode::ReadWrite)
      .execute("INSERT INTO survey VALUES('pictures', '7'), ('shard', '1/1')");
  for (const std::string& command : {drawn, listed}) {
    EXPECT_THAT(errorsOf(command), HasSubstr("6 of 7 measured so far; the survey was stopped"));
  }
  Database(survey_, Database::Mode::ReadWrite)
      .execute(
          "UPDATE survey SET value = '12' WHERE key = 'pictures'; UPDATE survey SET value = "
          "'1/2' WHERE key = 'shard'");
  for (const std::string& command : {drawn, listed}) {
    EXPECT_THAT(errorsOf(command),
                HasSubstr("shard 1/2 of 12 pictures; `softscope merge` puts shards together"));
  }
}

TEST_F(SurveyFigureCommandTest, NotesWhatIsOfModels) {
  const Outcome outcome = figure(
      "--measure distance --layer first --size 64 --exif off --attention soft --device cuda "
      "--threads 2 --landmarks pooled --name Q --data " +
      (folder_ / "distance.csv"));
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  for (const char* option :
       {"--size", "--exif", "--attention", "--device", "--threads", "--landmarks", "--name"}) {
    EXPECT_THAT(outcome.errors, HasSubstr(std::string("softscope: ") + option + " is of figures "));
  }
  EXPECT_THAT(outcome.errors, ::testing::Not(HasSubstr("--layer"))) << "a survey's own";
}

}  // namespace
}  // namespace softscope
