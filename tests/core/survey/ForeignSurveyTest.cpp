#include "core/survey/SurveyWriter.h"
#include "core/survey/reading/SurveyReader.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/files/TemporaryFolder.h"
#include "tests/core/survey/SmallSurvey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sqlite3.h>

namespace softscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// SQLite as anybody uses it, without our precautions.
class PlainConnection {
 public:
  explicit PlainConnection(const std::string& path) { sqlite3_open(path.c_str(), &database_); }
  ~PlainConnection() { sqlite3_close_v2(database_); }
  PlainConnection(const PlainConnection&) = delete;
  PlainConnection& operator=(const PlainConnection&) = delete;

  void execute(const std::string& sql) {
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
        << sql << ": " << (message ? message : "");
    sqlite3_free(message);
  }

 private:
  sqlite3* database_ = nullptr;
};

/// A survey of four pictures that are done, in a folder of its own, as a stranger could send it.
class ForeignSurveyTest : public testing::Test {
 protected:
  void SetUp() override { writeAnew(); }
  void TearDown() override { fs::remove_all(root_); }

  void writeAnew() const {
    fs::remove_all(root_);
    fs::create_directories(root_);
    SurveyWriter writer(path(), test::smallPlan());
    for (int picture = 0; picture < 4; ++picture) {
      writer.add(picture, test::smallEntry(picture), test::smallValues(picture));
    }
  }
  std::string path() const { return (root_ / "a.survey").string(); }

  /// Every file of the folder.
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(root_)) {
      files[entry.path().filename().string()] = test::contentOf(entry.path().string());
    }
    return files;
  }

  template <typename Use>
  std::string refusal(const Use& use) const {
    return test::messageOf<SurveyError>([&] { use(); });
  }
  std::string refusalToRead() const {
    return refusal([&] { SurveyReader(path()).read(0); });
  }

  /// A file whose writer was killed within a transaction that had begun to change it.
  void leaveHalfWritten() const {
    const std::string other = (root_ / "live.survey").string();
    fs::copy_file(path(), other);
    {
      PlainConnection live(other);
      live.execute(
          "PRAGMA cache_size = 1; BEGIN; UPDATE head_value SET entropy = 77;"
          "UPDATE survey SET value = 'gone'; UPDATE model SET name = hex(zeroblob(20000))");
      fs::copy_file(other, path(), fs::copy_options::overwrite_existing);
      fs::copy_file(other + "-journal", path() + "-journal");
      live.execute("ROLLBACK");
    }
    fs::remove(other);
  }

  const fs::path root_ = fs::path(testing::TempDir()) / "ForeignSurveyTest";
};

TEST_F(ForeignSurveyTest, IsRefusedWithAnythingThatNoSurveyHas) {
  const std::string classes = "DROP TABLE class; CREATE TABLE class";
  const std::string foreign[] = {
      "CREATE TRIGGER t AFTER INSERT ON head_value BEGIN UPDATE survey SET value = '/etc'; END",
      "CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i "
      "FROM n",
      "CREATE TABLE pragma_table_list(schema, name, type)",
      "CREATE TABLE pragma_table_xinfo(name, hidden)",
      "CREATE INDEX i ON picture(class)",
      "CREATE INDEX i ON picture(class) WHERE class > 0",
      "CREATE INDEX i ON picture(length(path))",
      "CREATE VIRTUAL TABLE v USING fts5(words)",
      "ANALYZE",
      classes + "(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, more AS (upper(name)))",
      classes + "(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE CHECK (length(name) > 0))",
      classes + "(id INTEGER PRIMARY KEY, name TEXT COLLATE nocase NOT NULL UNIQUE)",
      classes + "(id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT (hex(zeroblob(9))) UNIQUE)",
      classes + "(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT",
      classes + "(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) WITHOUT ROWID",
      classes + "(id, name)",
      "ALTER TABLE head_value ADD COLUMN \"a; b\" REAL",
      "ALTER TABLE head_value ADD COLUMN more AS (entropy + 1)",
      "ALTER TABLE head_value ADD COLUMN more TEXT",
      "DROP TABLE class; CREATE VIEW class AS SELECT 1 AS id, 'cat' AS name",
      "DROP TABLE head_value",
  };
  for (const std::string& sql : foreign) {
    writeAnew();
    PlainConnection(path()).execute(sql);
    const auto before = contents();
    EXPECT_NE(refusalToRead(), "") << sql;
    EXPECT_NE(refusal([&] { SurveyWriter(path(), test::smallPlan()); }), "") << sql;
    EXPECT_NE(refusal([&] { mergeSurveys({path()}, (root_ / "all").string(), ""); }), "") << sql;
    EXPECT_TRUE(contents() == before) << sql;
  }
}

TEST_F(ForeignSurveyTest, OfAnEarlierVersionIsRead) {
  // As it was written before its tables were compared with a list, with space as it came.
  PlainConnection(path()).execute(
      "DROP TABLE class; CREATE TABLE class(id INTEGER PRIMARY KEY,\n\t   name TEXT NOT NULL "
      "UNIQUE); INSERT INTO class VALUES(0, 'cat'), (1, 'dog');"
      "ALTER TABLE head_value ADD COLUMN a_measure_of_old REAL; VACUUM");
  EXPECT_EQ(refusalToRead(), "");
}

TEST_F(ForeignSurveyTest, IsNotWrittenToWhenItIsRead) {
  const auto plain = contents();
  EXPECT_EQ(refusalToRead(), "");
  EXPECT_TRUE(contents() == plain);
  PlainConnection(path()).execute("PRAGMA journal_mode = WAL");
  const auto withLog = contents();
  EXPECT_EQ(refusalToRead(), "");
  EXPECT_EQ(mergeSurveys({path()}, testing::TempDir() + "/ForeignMerged.survey", ""), 4);
  fs::remove(testing::TempDir() + "/ForeignMerged.survey");
  EXPECT_TRUE(contents() == withLog);
  PlainConnection live(path());
  live.execute("UPDATE survey SET value = 'in the log' WHERE key = 'folder'");
  const auto whileLive = contents();
  EXPECT_EQ(SurveyReader(path()).index()->folder(), "in the log");
  EXPECT_TRUE(contents() == whileLive);
}

TEST_F(ForeignSurveyTest, HalfWrittenIsReadAsItWasAndLeftAsItIs) {
  leaveHalfWritten();
  const auto before = contents();
  ASSERT_EQ(before.size(), 2u);
  EXPECT_EQ(SurveyReader(path()).index()->folder(), "/pictures");
  EXPECT_TRUE(contents() == before);
  // Whoever goes on with it puts it right.
  EXPECT_EQ(SurveyWriter(path(), test::smallPlan()).done().size(), 4u);
  EXPECT_EQ(contents().size(), 1u);
}

TEST_F(ForeignSurveyTest, RemovesNoFileThatItsJournalNames) {
  leaveHalfWritten();
  const std::string victim = (root_ / "victim").string();
  std::ofstream(victim) << "of value";
  std::uint32_t sum = 0;
  for (const char letter : victim) sum += static_cast<unsigned char>(letter);
  const auto number = [](std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
    return bytes;
  };
  std::ofstream(path() + "-journal", std::ios::binary | std::ios::app)
      << number(0) << victim << number(static_cast<std::uint32_t>(victim.size())) << number(sum)
      << "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  const auto before = contents();
  EXPECT_THAT(refusalToRead(), HasSubstr("a journal beside it"));
  EXPECT_THAT(refusal([&] { SurveyWriter(path(), test::smallPlan()); }),
              HasSubstr("a journal beside it"));
  EXPECT_TRUE(contents() == before);
}

TEST_F(ForeignSurveyTest, IsReadWhileItIsWritten) {
  Database live(path(), Database::Mode::ReadWrite);
  Transaction transaction(live);
  live.execute("UPDATE survey SET value = 'soon' WHERE key = 'folder'");
  EXPECT_EQ(SurveyReader(path()).index()->folder(), "/pictures");
  transaction.commit();
  EXPECT_EQ(SurveyReader(path()).index()->folder(), "soon");
}

}  // namespace
}  // namespace softscope
