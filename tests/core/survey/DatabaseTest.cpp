#include "core/survey/Database.h"
#include "tests/core/files/FileSizeLimit.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>

namespace softscope {
namespace {

class DatabaseTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(path_); }
  void TearDown() override { std::filesystem::remove(path_); }

  const std::string path_ =
      (std::filesystem::path(testing::TempDir()) / "DatabaseTest.survey").string();
};

TEST_F(DatabaseTest, KeepsWhatWasCommitted) {
  {
    Database database(path_, Database::Mode::Create);
    database.execute("CREATE TABLE value(name TEXT, number REAL, count INTEGER)");
    Transaction transaction(database);
    Statement insert(database, "INSERT INTO value VALUES(?, ?, ?)");
    insert.bind(0, std::string("a\0b", 3)).bind(1, 0.1).bind(2, std::int64_t{1} << 40).run();
    insert.bind(0, "").bind(1, std::optional<double>()).bind(2, std::int64_t{-1}).run();
    EXPECT_EQ(database.changes(), 1);
    transaction.commit();
  }
  Database database(path_, Database::Mode::ReadOnly);
  Statement select(database, "SELECT name, number, count FROM value ORDER BY rowid");
  ASSERT_TRUE(select.step());
  EXPECT_EQ(select.text(0), std::string("a\0b", 3));
  EXPECT_EQ(select.number(1), 0.1);
  EXPECT_EQ(select.integer(2), std::int64_t{1} << 40);
  ASSERT_TRUE(select.step());
  EXPECT_EQ(select.text(0), "");
  EXPECT_TRUE(select.isNothing(1));
  EXPECT_FALSE(select.step());
  EXPECT_THROW(database.execute("DELETE FROM value"), SurveyError);
}

TEST_F(DatabaseTest, ForgetsWhatWasNot) {
  Database database(path_, Database::Mode::Create);
  database.execute("CREATE TABLE value(number REAL)");
  {
    Transaction transaction(database);
    database.execute("INSERT INTO value VALUES(1)");
  }
  Statement count(database, "SELECT count(*) FROM value");
  ASSERT_TRUE(count.step());
  EXPECT_EQ(count.integer(0), 0);
}

TEST_F(DatabaseTest, SaysWhatIsNoDatabase) {
  EXPECT_THROW(Database(path_, Database::Mode::ReadOnly), SurveyError);
  std::ofstream(path_) << std::string(5000, 'x');
  Database database(path_, Database::Mode::ReadOnly);
  try {
    Statement(database, "SELECT * FROM survey").run();
    FAIL();
  } catch (const SurveyError& error) {
    EXPECT_NE(std::string(error.what()).find("is not a survey"), std::string::npos) << error.what();
  }
}

TEST_F(DatabaseTest, SaysThatAFileMayNotBeSoLarge) {
  std::string said;
  try {
    const test::FileSizeLimit limit(16384);
    Database database(path_, Database::Mode::Create);
    database.execute("CREATE TABLE value(text TEXT)");
    Statement insert(database, "INSERT INTO value VALUES(?)");
    insert.bind(0, std::string(100'000, 'x')).run();
  } catch (const SurveyError& error) {
    said = error.what();
  }
  EXPECT_TRUE(said.starts_with(path_ + ": cannot be written: File too large")) << said;
  EXPECT_NE(said.find("ulimit -f"), std::string::npos) << said;
}

}  // namespace
}  // namespace softscope
