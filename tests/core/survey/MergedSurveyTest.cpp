#include "core/survey/SurveyTables.h"
#include "core/survey/SurveyWriter.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/files/FileSizeLimit.h"
#include "tests/core/survey/SmallSurvey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace softscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class MergedSurveyTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  /// Writes the pictures of a shard.
  std::string write(const std::string& name, SurveyPlan plan,
                    const std::vector<int>& pictures) const {
    const std::string path = (root_ / name).string();
    SurveyWriter writer(path, plan);
    for (const int picture : pictures) {
      writer.add(picture, test::smallEntry(picture), test::smallValues(picture));
    }
    return path;
  }
  std::string shard(std::int64_t index, const std::vector<int>& pictures) const {
    SurveyPlan plan = test::smallPlan();
    plan.shard = {index, 2};
    return write(std::to_string(index) + ".survey", plan, pictures);
  }

  std::string refusal(const std::vector<std::string>& inputs) const {
    const std::string message =
        test::messageOf<SurveyError>([&] { mergeSurveys(inputs, all(), "softscope merge"); });
    EXPECT_TRUE(message.empty() || !fs::exists(all()));
    return message;
  }
  std::string all() const { return (root_ / "all.survey").string(); }

  const fs::path root_ = fs::path(testing::TempDir()) / "MergedSurveyTest";
};

TEST_F(MergedSurveyTest, HasEveryPictureOfItsShards) {
  EXPECT_EQ(mergeSurveys({shard(2, {1, 3}), shard(1, {0, 2})}, all(), "softscope merge a b"), 4);
  Database database(all(), Database::Mode::ReadOnly);
  EXPECT_EQ(surveyOrigin(database).shard, "1/1");
  Statement command(database, "SELECT value FROM survey WHERE key = 'command'");
  ASSERT_TRUE(command.step());
  EXPECT_EQ(command.text(0), "softscope merge a b");
  Statement values(database,
                   "SELECT picture, entropy FROM head_value WHERE head = 1 ORDER BY picture");
  for (int picture = 0; picture < 4; ++picture) {
    ASSERT_TRUE(values.step());
    EXPECT_EQ(values.integer(0), picture);
    EXPECT_EQ(values.number(1), picture + 0.1);
  }
  EXPECT_FALSE(values.step());
  // As if it had been one run: it is whole, and goes on as such.
  const SurveyWriter writer(all(), test::smallPlan());
  EXPECT_EQ(writer.done().size(), 4U);
}

TEST_F(MergedSurveyTest, NamesWhatIsMissing) {
  EXPECT_THAT(refusal({shard(1, {0, 2}), shard(2, {1})}),
              HasSubstr("1 of 4 pictures are in none of the files, the first being number 3; shard "
                        "2/2 is not done, run its command again"));
  fs::remove(root_ / "1.survey");
  EXPECT_THAT(refusal({shard(1, {0, 2})}), HasSubstr("shard 2/2 is missing, give its file, too"));
}

TEST_F(MergedSurveyTest, NamesWhatIsThereTwice) {
  const std::string first = shard(1, {0, 2});
  const std::string second = shard(2, {1, 3});
  EXPECT_THAT(refusal({first, second, second}),
              HasSubstr("2.survey: has 1.png, and so has " + second + "; give each shard once"));
}

TEST_F(MergedSurveyTest, NamesWhatDisagrees) {
  const std::string first = shard(1, {0, 2});
  SurveyPlan plan = test::smallPlan();
  plan.measures.pop_back();
  EXPECT_THAT(refusal({first, write("other.survey", plan, {})}),
              HasSubstr("measures: \"confidence\" in " + first + ", no \"confidence\" in this"));
  plan = test::smallPlan();
  plan.listing = "other";
  EXPECT_THAT(refusal({first, write("pictures.survey", plan, {})}),
              HasSubstr("is of other pictures"));
}

TEST_F(MergedSurveyTest, KeepsTheFilesOfPicturesAndMergesNoVersionsWithOthers) {
  const PictureFile file{.size = 7, .modified = 8, .sha256 = "ab"};
  SurveyPlan plan = test::smallPlan();
  plan.shard = {1, 2};
  const std::string first = (root_ / "1.survey").string();
  SurveyWriter(first, plan).add(0, test::smallEntry(0), test::smallValues(0), file);
  SurveyWriter(first, plan).add(2, test::smallEntry(2), test::smallValues(2), file);
  const std::string second = shard(2, {1, 3});
  EXPECT_EQ(mergeSurveys({first, second}, all(), ""), 4);
  {
    Database merged(all(), Database::Mode::ReadOnly);
    Statement files(merged, "SELECT picture, sha256 FROM picture_file ORDER BY picture");
    for (const int picture : {0, 2}) {
      ASSERT_TRUE(files.step());
      EXPECT_EQ(files.integer(0), picture);
      EXPECT_EQ(files.text(1), "ab");
    }
    EXPECT_FALSE(files.step());
  }
  fs::remove(all());
  const std::string earlier = "DROP TABLE picture_file; PRAGMA user_version = 1";
  Database(second, Database::Mode::ReadWrite).execute(earlier);
  EXPECT_THAT(refusal({first, second}), HasSubstr("has tables of another version than " + first));
  Database(first, Database::Mode::ReadWrite).execute(earlier);
  EXPECT_EQ(mergeSurveys({first, second}, all(), ""), 4);
}

TEST_F(MergedSurveyTest, OverwritesNothing) {
  const std::string first = shard(1, {0, 1, 2, 3});
  EXPECT_EQ(mergeSurveys({first}, all(), ""), 4);
  EXPECT_THROW(mergeSurveys({first}, all(), ""), SurveyError);
  EXPECT_THROW(mergeSurveys({first}, first, ""), SurveyError);
}

TEST_F(MergedSurveyTest, BelievesNothingOfItsInputs) {
  const auto refusalAfter = [&](const std::string& sql) {
    fs::remove(root_ / "1.survey");
    const std::string path = shard(1, {0, 1, 2, 3});
    Database(path, Database::Mode::ReadWrite).execute(sql);
    return refusal({path});
  };
  const std::string set = "UPDATE survey SET value = ";
  EXPECT_EQ(refusalAfter(""), "");
  fs::remove(all());
  for (const char* count : {"'many'", "'-1'", "'99999999999999999999'", "''"}) {
    EXPECT_THAT(refusalAfter(set + count + " WHERE key = 'pictures'"),
                HasSubstr("number of pictures cannot be read"));
  }
  EXPECT_THAT(refusalAfter(set + "'9000000000000000000' WHERE key = 'pictures'"),
              HasSubstr("pictures are in none of the files, the first being number 4"));
  EXPECT_THAT(refusalAfter(set + "'{' WHERE key = 'recipe'"), HasSubstr("recipe cannot be read"));
  EXPECT_THAT(refusalAfter("DELETE FROM survey WHERE key = 'listing'"),
              HasSubstr("does not say its listing"));
  EXPECT_THAT(refusalAfter("ALTER TABLE head_value RENAME TO kept;"
                           "CREATE VIEW head_value AS SELECT * FROM kept"),
              HasSubstr("as no survey has"));
  for (const char* foreign :
       {"CREATE TRIGGER t AFTER INSERT ON picture BEGIN UPDATE survey SET value = '/etc'; END",
        "CREATE VIEW v AS SELECT 1", "CREATE TABLE pragma_table_list(schema, name, type)",
        "CREATE INDEX i ON picture(class)"}) {
    EXPECT_THAT(refusalAfter(foreign), HasSubstr("as no survey has")) << foreign;
  }
  EXPECT_THAT(refusalAfter("UPDATE head_value SET entropy = 'near'"), HasSubstr("no number"));
  EXPECT_THAT(refusalAfter("UPDATE picture SET path = x'00' WHERE id = 2"), HasSubstr("no text"));
  EXPECT_THAT(refusalAfter("UPDATE head_value SET head = 9 WHERE head = 1"),
              HasSubstr("head 9, which is not there"));
  EXPECT_THAT(refusalAfter("INSERT INTO layer_value VALUES(77, 0, 1)"),
              HasSubstr("picture 77, which is not there"));
  const std::string deep = std::string(4000, '[') + std::string(4000, ']');
  EXPECT_THAT(refusalAfter(set + "'{\"a\":" + deep + "}' WHERE key = 'recipe'"),
              HasSubstr("recipe cannot be read"));
}

TEST_F(MergedSurveyTest, KeepsWhatTheTablesSay) {
  const std::string path = shard(1, {0, 1, 2, 3});
  Database(path, Database::Mode::ReadWrite)
      .execute(
          "UPDATE head_value SET entropy = 9e999 WHERE picture = 2 AND head = 0;"
          "UPDATE picture SET class = NULL, unreadable = 'cut short' WHERE id = 3");
  mergeSurveys({path}, all(), "softscope merge");
  Database database(all(), Database::Mode::ReadOnly);
  Database before(path, Database::Mode::ReadOnly);
  for (const std::string table :
       {"model", "layer", "head", "class", "picture", "measure", "layer_value"}) {
    Statement was(before, "SELECT * FROM " + table);
    Statement is(database, "SELECT * FROM " + table);
    int rows = 0;
    while (was.step()) {
      ASSERT_TRUE(is.step()) << table;
      EXPECT_EQ(is.isNothing(2), was.isNothing(2));
      for (int column = 0; column < 2; ++column) EXPECT_EQ(is.text(column), was.text(column));
      ++rows;
    }
    EXPECT_FALSE(is.step());
    EXPECT_GT(rows, 0) << table;
  }
  Statement infinite(database, "SELECT entropy FROM head_value WHERE picture = 2 AND head = 0");
  ASSERT_TRUE(infinite.step());
  EXPECT_TRUE(infinite.isNothing(0));
}

TEST_F(MergedSurveyTest, NamesItsOutputWhenThereIsNoRoom) {
  const std::string second = shard(2, {1, 3});
  const std::string first = shard(1, {0, 2});
  std::string said;
  {
    const test::FileSizeLimit limit(8192);
    said = refusal({second, first});
  }
  EXPECT_THAT(said, testing::StartsWith(all() + ": cannot be written: File too large"));
  EXPECT_THAT(said, testing::Not(HasSubstr("goes on"))) << "a merge begins again";
}

}  // namespace
}  // namespace softscope
