#include "tests/app/commands/Run.h"
#include "tests/core/survey/reading/WrittenSurvey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace softscope {
namespace {

using test::contentOf;
using test::Outcome;
using test::SmallSurvey;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class TableCommandTest : public testing::Test {
 protected:
  void SetUp() override { SmallSurvey::write(survey_); }

  test::TemporaryFolder folder_;
  const std::string survey_ = folder_ / "small.survey";
};

TEST_F(TableCommandTest, WritesTheSameToAFileAndToStdout) {
  const Outcome shown = test::softscope("table " + survey_);
  ASSERT_EQ(shown.exitCode, 0) << shown.errors;
  EXPECT_THAT(shown.output, StartsWith("model,layer,head,picture,class,measure,value\nsima,,,"));
  EXPECT_EQ(std::count(shown.output.begin(), shown.output.end(), '\n'), 91);
  EXPECT_EQ(shown.errors, "");
  const std::string file = folder_ / "small.csv";
  const Outcome written = test::softscope("table " + survey_ + " -o " + file);
  ASSERT_EQ(written.exitCode, 0) << written.errors;
  EXPECT_EQ(written.output, file + "\n");
  EXPECT_EQ(contentOf(file), shown.output);
}

TEST_F(TableCommandTest, Summarises) {
  const Outcome all = test::softscope("table " + survey_ + " --summary");
  ASSERT_EQ(all.exitCode, 0) << all.errors;
  EXPECT_THAT(all.output, HasSubstr("\nsima,first,0,distance,5,11.5,0.39528470752104744,"));
  const Outcome classes = test::softscope("table " + survey_ + " --summary --by class");
  ASSERT_EQ(classes.exitCode, 0) << classes.errors;
  EXPECT_THAT(classes.output, HasSubstr("\nsima,first,0,distance,cat,3,11.25,0.25,"));
}

TEST_F(TableCommandTest, SaysWhatIsWrong) {
  test::expectOneLine(test::softscope("table"), 2, "SURVEY");
  test::expectOneLine(test::softscope("table " + survey_ + " --by class"), 2, "--summary");
  test::expectOneLine(test::softscope("table " + survey_ + " --summary --by head"), 2, "head");
  test::expectOneLine(test::softscope("table " + (folder_ / "none.survey")), 1, "no such file");
  std::ofstream(folder_ / "text.survey") << "this is no database at all, whatever it is called";
  test::expectOneLine(test::softscope("table " + (folder_ / "text.survey")), 1, "is not a survey");
  test::expectOneLine(test::softscope("table " + survey_ + " -o " + (folder_ / "no/such.csv")), 1,
                      "does not exist");
}

TEST_F(TableCommandTest, LeavesAnOldTableWhereTheSurveyIsDamaged) {
  const std::string file = folder_ / "old.csv";
  std::ofstream(file) << "old";
  {
    Database database(survey_, Database::Mode::ReadWrite);
    database.execute("UPDATE head_value SET distance = 'far' WHERE picture = 4 AND head = 5");
  }
  test::expectOneLine(test::softscope("table " + survey_ + " -o " + file), 1, "no number");
  EXPECT_EQ(contentOf(file), "old");
}

TEST_F(TableCommandTest, NeedsClassesForASummaryByThem) {
  {
    Database database(survey_, Database::Mode::ReadWrite);
    database.execute("UPDATE picture SET class = NULL; DELETE FROM class");
  }
  test::expectOneLine(test::softscope("table " + survey_ + " --summary --by class"), 1,
                      "no class folders");
  EXPECT_THAT(test::softscope("table " + survey_).output, HasSubstr(",cat/0.png,,accuracy,1\n"));
}

TEST_F(TableCommandTest, PutsNoNameOfItsOwnAmongTheRowsOfStdout) {
  const Outcome shown = test::softscope("table " + survey_);
  // The output is a file here, which the path leads to.
  const Outcome named = test::softscope("table " + survey_ + " -o /dev/stdout");
  EXPECT_EQ(named.exitCode, 0) << named.errors;
  EXPECT_EQ(named.output, shown.output);
  EXPECT_EQ(test::softscope("table " + survey_ + " -o /dev/null").output, "");
}

}  // namespace
}  // namespace softscope
