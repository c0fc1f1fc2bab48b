#include "core/survey/reading/SurveyTable.h"
#include "tests/core/survey/reading/WrittenSurvey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <sstream>

namespace softscope {
namespace {

using test::SmallSurvey;
using ::testing::ElementsAre;

class SurveyTableTest : public testing::Test {
 protected:
  void SetUp() override { SmallSurvey::write(path_); }
  void TearDown() override { std::filesystem::remove(path_); }

  std::string rows() {
    SurveyReader survey(path_);
    std::string text;
    writeSurveyRows(survey, [&](std::string_view piece) { text += piece; });
    return text;
  }
  static std::vector<std::string> linesOf(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
  void change(const std::string& sql) {
    Database database(path_, Database::Mode::ReadWrite);
    database.execute(sql);
  }

  const std::string path_ =
      (std::filesystem::path(testing::TempDir()) / "SurveyTableTest.survey").string();
};

TEST_F(SurveyTableTest, ListsEveryValueInItsOrder) {
  const std::vector<std::string> lines = linesOf(rows());
  // Of each model five accuracies, of its two layers five spreads each, of its three heads five
  // line scores and distances each.
  ASSERT_EQ(lines.size(), 1u + 2 * (5 + 2 * 5 + 3 * 5 * 2));
  EXPECT_EQ(lines[0], "model,layer,head,picture,class,measure,value");
  EXPECT_EQ(lines[1], "sima,,,cat/0.png,cat,accuracy,1");
  EXPECT_EQ(lines[3], "sima,,,cat/2.png,cat,accuracy,0");
  EXPECT_EQ(lines[6], "sima,first,,cat/0.png,cat,spread,0.1");
  EXPECT_EQ(lines[11].substr(0, 38), "sima,first,0,cat/0.png,cat,line_score,");
  EXPECT_EQ(std::stod(lines[11].substr(38)), SmallSurvey::lineScore(1, 0, 0));
  EXPECT_EQ(lines[12], "sima,first,0,cat/0.png,cat,distance,11");
  EXPECT_EQ(lines[36], "sima,second,0,cat/0.png,cat,line_score," + lines[36].substr(39));
  EXPECT_EQ(lines[37], "sima,second,0,cat/0.png,cat,distance,") << "not defined";
  EXPECT_EQ(lines[46], "soft,,,cat/0.png,cat,accuracy,0");
}

TEST_F(SurveyTableTest, IsTheSameForTheSameSurveyWrittenOtherwise) {
  const std::string before = rows();
  // The models the other way round, and all ids others.
  change(
      "PRAGMA foreign_keys = OFF;"
      "UPDATE model SET id = 9 WHERE id = 0; UPDATE model SET id = 4 WHERE id = 1;"
      "UPDATE layer SET model = 9 WHERE model = 0; UPDATE layer SET model = 4 WHERE model = 1;"
      "UPDATE model_value SET model = 9 WHERE model = 0;"
      "UPDATE model_value SET model = 4 WHERE model = 1;"
      "UPDATE layer SET id = 50 - id; UPDATE head SET layer = 50 - layer;"
      "UPDATE layer_value SET layer = 50 - layer;"
      "UPDATE head SET id = 80 - id; UPDATE head_value SET head = 80 - head;");
  EXPECT_EQ(SurveyReader(path_).index()->models.front().name, "sima");
  EXPECT_EQ(rows(), before);
}

TEST_F(SurveyTableTest, QuotesNames) {
  change("UPDATE picture SET path = 'a,\"b.png' WHERE id = 0; UPDATE picture SET class = NULL");
  EXPECT_EQ(linesOf(rows())[1], "sima,,,\"a,\"\"b.png\",,accuracy,1");
}

TEST_F(SurveyTableTest, SummarisesEveryMeasure) {
  SurveyReader survey(path_);
  const Table table = surveySummary(survey, false);
  EXPECT_THAT(table.columns,
              ElementsAre("model", "layer", "head", "measure", "count", "mean", "deviation",
                          "standard_error", "quartile_1", "median", "quartile_3"));
  ASSERT_EQ(table.rows.size(), 2u * (1 + 2 + 3 * 2));
  const std::vector<std::string> lines = linesOf(csvText(table));
  // By hand: 1, 0, 0... of sima's five, 1 1 0 1 1: mean 0.8, deviation sqrt(0.8 / 4).
  EXPECT_THAT(lines[1], testing::StartsWith("sima,,,accuracy,5,0.8,0.447213595499957"));
  // 11, 11.25, 11.5, 11.75, 12: deviation sqrt(0.625 / 4).
  EXPECT_EQ(lines[4],
            "sima,first,0,distance,5,11.5,0.39528470752104744,0.1767766952966369,11.25,11.5,11.75");
  // Pictures 1 and 3 alone: 31.25 and 31.75.
  EXPECT_THAT(lines[9], testing::StartsWith("sima,second,0,distance,2,31.5,0.35355339"));
}

TEST_F(SurveyTableTest, SummarisesClassByClass) {
  SurveyReader survey(path_);
  const std::vector<std::string> lines = linesOf(csvText(surveySummary(survey, true)));
  ASSERT_EQ(lines.size(), 1 + 2u * 2 * (1 + 2 + 3 * 2));
  EXPECT_EQ(lines[0],
            "model,layer,head,measure,class,count,mean,deviation,standard_error,quartile_1,median,"
            "quartile_3");
  EXPECT_THAT(lines[7], testing::StartsWith("sima,first,0,distance,cat,3,11.25,0.25,"));
  EXPECT_THAT(lines[8], testing::StartsWith("sima,first,0,distance,dog,2,11.875,"));
  EXPECT_EQ(lines[17].substr(0, 28), "sima,second,0,distance,cat,1");
  EXPECT_EQ(lines[17], "sima,second,0,distance,cat,1,31.25,,,31.25,31.25,31.25");
}

}  // namespace
}  // namespace softscope
