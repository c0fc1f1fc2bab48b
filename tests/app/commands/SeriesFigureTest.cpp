#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace softscope {
namespace {

namespace fs = std::filesystem;
using test::contentOf;
using test::expectOneLine;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A training of two steps: a checkpoint of SOFT's, and one of SOFT++ in the place of a later one.
class SeriesFigure : public ::testing::Test {
 protected:
  SeriesFigure() {
    const fs::path box = fs::path(SOFTSCOPE_SOURCE) / "resources" / "checkpoints";
    fs::create_directories(folder_ / "run");
    fs::copy_file(box / "soft_everyday10.safetensors", folder_ / "run/epoch_10.safetensors");
    fs::copy_file(box / "soft_norm_everyday10.safetensors", folder_ / "run/epoch_9.safetensors");
  }

  Outcome series(const std::string& models, const std::string& more) {
    return test::softscope("figure series -m '" + (folder_ / models) + "' " + picture +
                           " --size 64 " + "--layer 'block2.*' " + more);
  }
  std::vector<std::string> linesOf(const std::string& file) {
    std::istringstream text(contentOf(folder_ / file));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }

  const std::string picture = std::string(SOFTSCOPE_SOURCE) + "/resources/pictures/chelsea.png";
  TemporaryFolder folder_;
};

/// Returns the fields of a line.
std::vector<std::string> fieldsOf(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> fields;
  for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
  return fields;
}

TEST_F(SeriesFigure, MeasuresEveryHeadOfEveryStepAsASurveyDoes) {
  // On one thread, as surveys compute: more may sum in another order.
  const Outcome outcome =
      series("run", "--measure attention_distance --threads 1 --data " + (folder_ / "series.csv") +
                        " -o " + (folder_ / "series.svg"));
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(contentOf(folder_ / "series.svg"), HasSubstr("epoch_*"));
  const std::vector<std::string> lines = linesOf("series.csv");
  ASSERT_EQ(lines.size(), 9u) << "a heading, and four heads of two steps";
  EXPECT_THAT(lines[0], StartsWith("training,step,layer,head,measure,class,count,mean,"));
  EXPECT_THAT(lines[1], StartsWith("epoch_*,9,block2.0.att.mha.attn,0,attention_distance,,1,"));
  EXPECT_THAT(lines[2], StartsWith("epoch_*,10,block2.0.att.mha.attn,0,attention_distance,,1,"));

  const Outcome survey =
      test::softscope("survey -m '" + (folder_ / "run/epoch_*.safetensors") + "' " +
                          (folder_ / "pictures") + " -o " + (folder_ / "s.survey") +
                          " --size 64 --layer 'block2.*' --measure attention_distance",
                      {},
                      "mkdir " + (folder_ / "pictures") + " && cp " + picture + " " +
                          (folder_ / "pictures") + " && ");
  ASSERT_EQ(survey.exitCode, 0) << survey.errors;
  const Outcome table = test::softscope("figure survey " + (folder_ / "s.survey") +
                                        " --measure attention_distance --view steps --data " +
                                        (folder_ / "survey.csv"));
  ASSERT_EQ(table.exitCode, 0) << table.errors;
  EXPECT_EQ(linesOf("survey.csv"), lines);
  EXPECT_NE(fieldsOf(lines[1])[7], fieldsOf(lines[2])[7]) << "the steps differ";
}

TEST_F(SeriesFigure, TakesPatternsAndSomeHeads) {
  const Outcome outcome =
      series("run/epoch_*", "--head 1 --measure attention_distance --data " + (folder_ / "a.csv"));
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_EQ(linesOf("a.csv").size(), 5u);
}

TEST_F(SeriesFigure, SaysWhatIsMissing) {
  const std::string data = " --data " + (folder_ / "x.csv");
  expectOneLine(series("run", data), 2, "softscope survey --list");
  expectOneLine(series("run", "--measure nonsense" + data), 2, "nonsense");
  expectOneLine(series("run", "--measure deletion" + data), 2, "one of deletion_queries");
  expectOneLine(series("run/epoch_9.safetensors", "--measure entropy" + data), 1, "epoch_05");
  expectOneLine(series("none/e*.pth", "--measure entropy" + data), 1, "no file has such a name");
  expectOneLine(series("run", "--measure entropy --head mean" + data), 2, "--head N");
  EXPECT_FALSE(fs::exists(folder_ / "x.csv"));
}

TEST_F(SeriesFigure, ALayerIsNamedByItsBeginning) {
  const std::string measured = " --size 64 --layer block2.0 --measure attention_distance ";
  const Outcome series = test::softscope("figure series -m " + (folder_ / "run") + " " + picture +
                                         measured + "--data " + (folder_ / "series.csv"));
  ASSERT_EQ(series.exitCode, 0) << series.errors;
  EXPECT_EQ(linesOf("series.csv").size(), 5u) << "two heads of two steps";

  // A third model, of which a figure of steps shows nothing.
  fs::copy_file(folder_ / "run/epoch_9.safetensors", folder_ / "best.safetensors");
  fs::create_directories(folder_ / "pictures");
  fs::copy_file(picture, folder_ / "pictures/cat.png");
  const Outcome survey = test::softscope(
      "survey -m '" + (folder_ / "run/epoch_*") + "' -m " + (folder_ / "best.safetensors") + " " +
      (folder_ / "pictures") + measured + "-o " + (folder_ / "s.survey"));
  ASSERT_EQ(survey.exitCode, 0) << survey.errors;
  const Outcome shown = test::softscope("figure survey " + (folder_ / "s.survey") +
                                        " --measure attention_distance --layer block2.0 --view "
                                        "steps --data " +
                                        (folder_ / "survey.csv"));
  ASSERT_EQ(shown.exitCode, 0) << shown.errors;
  EXPECT_EQ(linesOf("survey.csv").size(), 5u);
  EXPECT_THAT(shown.errors, HasSubstr("best is left out"));
}

TEST_F(SeriesFigure, OverwritesNoPictureOfItsFolder) {
  fs::create_directories(folder_ / "pictures");
  fs::copy_file(picture, folder_ / "pictures/cat.png");
  const Outcome outcome =
      test::softscope("figure series -m " + (folder_ / "run") + " " + (folder_ / "pictures") +
                      " --size 64 --measure confidence -o " + (folder_ / "pictures/cat.png"));
  expectOneLine(outcome, 1, "is read here");
  EXPECT_TRUE(contentOf(folder_ / "pictures/cat.png") == contentOf(picture));
}

TEST_F(SeriesFigure, TheKthMechanismBelongsToTheStepsOfTheKthModel) {
  fs::copy(folder_ / "run", folder_ / "again");
  /// The first mean of the training whose name begins so.
  const auto firstMean = [&](const std::string& models, const std::string& mechanisms,
                             const std::string& training) {
    const Outcome outcome = series(
        models, "--threads 1 --measure confidence --data " + (folder_ / "x.csv") + mechanisms);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    for (const std::string& line : linesOf("x.csv")) {
      if (line.starts_with(training)) return fieldsOf(line)[7];
    }
    return std::string("none");
  };
  const std::string soft = firstMean("run", " --attention soft", "epoch_");
  EXPECT_NE(firstMean("run", " --attention soft++", "epoch_"), soft);
  for (const std::string wildcards : {"", "/epoch_*"}) {
    const std::string both = "run" + wildcards + "' -m '" + (folder_ / "again") + wildcards;
    EXPECT_EQ(firstMean(both, " --attention soft --attention soft++", "run"), soft);
    EXPECT_NE(firstMean(both, " --attention soft --attention soft++", "again"), soft);
  }
}

TEST_F(SeriesFigure, LeavesOutAModelThatIsNoStepAndSaysSo) {
  fs::copy_file(folder_ / "run/epoch_9.safetensors", folder_ / "best.safetensors");
  const std::string data = folder_ / "x.csv";
  const Outcome outcome = series(
      "run", "-m " + (folder_ / "best.safetensors") + " --measure confidence --data " + data);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("best.safetensors is left out"));
  EXPECT_THAT(contentOf(data), ::testing::Not(HasSubstr("best")));
}

TEST_F(SeriesFigure, SaysThatAMeasureHasNoHeadsOrLayersToChoose) {
  const std::string data = " --head 1 --data " + (folder_ / "x.csv");
  const Outcome model = series("run", "--measure confidence" + data);
  EXPECT_EQ(model.exitCode, 0) << model.errors;
  EXPECT_THAT(model.errors, HasSubstr("--head is passed over: confidence is of whole models"));
  EXPECT_THAT(model.errors, HasSubstr("--layer is passed over: confidence is of whole models"));
  const Outcome layer = series("run", "--measure token_outliers" + data);
  EXPECT_EQ(layer.exitCode, 0) << layer.errors;
  EXPECT_THAT(layer.errors, HasSubstr("--head is passed over: token_outliers is of whole layers"));
  EXPECT_THAT(layer.errors, ::testing::Not(HasSubstr("--layer")));
}

TEST_F(SeriesFigure, SaysOnceHowAnUnusualPictureWasRead) {
  const std::string stack = test::data("image/stack16.tif");
  const Outcome outcome =
      test::softscope("figure series -m " + (folder_ / "run") + " " + stack +
                      " --size 64 --layer 'block2.*' --measure attention_distance --data " +
                      (folder_ / "series.csv"));
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr(stack + ": 16-bit"));
}

}  // namespace
}  // namespace softscope
