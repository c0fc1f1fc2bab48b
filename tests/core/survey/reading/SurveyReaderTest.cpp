#include "core/survey/reading/SurveyReader.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/files/TemporaryFolder.h"
#include "tests/core/survey/reading/WrittenSurvey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace softscope {
namespace {

using test::SmallSurvey;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class SurveyReaderTest : public testing::Test {
 protected:
  void SetUp() override { SmallSurvey::write(path_, "/nowhere/pictures"); }
  void TearDown() override { std::filesystem::remove(path_); }

  /// What reading everything complains about after `sql` changed the file; empty if nothing.
  std::string complaintAfter(const std::string& sql) {
    SmallSurvey::write(path_);
    {
      Database database(path_, Database::Mode::ReadWrite);
      database.execute(sql);
    }
    return complaint();
  }
  std::string complaint() {
    const std::string message = test::messageOf<SurveyError>([this] {
      SurveyReader survey(path_);
      for (std::size_t i = 0; i < survey.index()->measures.size(); ++i) {
        survey.read(static_cast<int>(i));
      }
    });
    if (message.empty()) return message;
    EXPECT_THAT(message, HasSubstr(path_));
    EXPECT_THAT(message, Not(HasSubstr("\n")));
    EXPECT_LT(message.size(), path_.size() + 250);
    return message;
  }

  const std::string path_ =
      (std::filesystem::path(testing::TempDir()) / "SurveyReaderTest.survey").string();
};

TEST_F(SurveyReaderTest, TellsWhichPartOfTheSurveyTheFileHolds) {
  const auto partAfter = [this](const std::string& pictures, const std::string& shard) {
    SmallSurvey::write(path_);
    Database(path_, Database::Mode::ReadWrite)
        .execute("INSERT INTO survey VALUES('pictures', '" + pictures + "'), ('shard', '" + shard +
                 "')");
    return SurveyReader(path_).index()->partText();
  };
  EXPECT_EQ(SurveyReader(path_).index()->partText(), "") << "the file does not say";
  EXPECT_EQ(partAfter("6", "1/1"), "") << "one that cannot be read is measured as well";
  EXPECT_EQ(partAfter("7", "1/1"), "6 of 7 measured so far");
  EXPECT_EQ(partAfter("12", "2/2"), "shard 2/2 of 12 pictures");
  EXPECT_EQ(partAfter("13", "2/2"), "shard 2/2 of 13 pictures") << "whose first has one more";
  EXPECT_EQ(partAfter("13", "1/2"), "shard 1/2 of 13 pictures, 6 of 7 measured so far");
  EXPECT_EQ(partAfter("many", "1/1"), "");
}

TEST_F(SurveyReaderTest, TellsWhatTheFileIsOf) {
  const SurveyReader survey(path_);
  const SurveyIndex& index = *survey.index();
  EXPECT_EQ(index.folder(), "/nowhere/pictures");
  ASSERT_EQ(index.models.size(), 2u);
  EXPECT_EQ(index.models[0].name, "soft");
  EXPECT_EQ(index.models[1].path, "/nowhere/sima.pth");
  ASSERT_EQ(index.pictures.size(), 6u);
  EXPECT_EQ(index.pictures[4].path, "dog/4.png");
  EXPECT_EQ(index.className(index.pictures[4]), "dog");
  EXPECT_EQ(index.pictures[5].unreadable, "is cut short");
  EXPECT_EQ(index.readablePictures(), 5);
  ASSERT_EQ(index.measures.size(), 4u);
  EXPECT_EQ(index.measure("distance"), 3);
  EXPECT_EQ(index.measure("nothing"), -1);
  EXPECT_EQ(index.measures[3].title, "Attention distance");
  const auto heads = index.units(SurveyIndex::Scope::Head);
  ASSERT_EQ(heads.size(), 6u);
  EXPECT_EQ(heads[4].model, 1);
  EXPECT_EQ(index.layerName(heads[4]), "first");
  EXPECT_EQ(index.headNumber(heads[4]), 1);
  EXPECT_EQ(index.units(SurveyIndex::Scope::Layer).size(), 4u);
  EXPECT_EQ(index.headNumber(index.units(SurveyIndex::Scope::Layer)[0]), -1);
}

TEST_F(SurveyReaderTest, ReadsOneMeasureOfEveryHead) {
  SurveyReader survey(path_);
  const std::vector<UnitValues> values = survey.read(survey.index()->measure("distance"));
  ASSERT_EQ(values.size(), 6u);
  for (int unit = 0; unit < 6; ++unit) {
    const UnitValues& of = values[static_cast<std::size_t>(unit)];
    EXPECT_THAT(of.pictures, ElementsAre(0, 1, 2, 3, 4));
    for (int picture = 0; picture < SmallSurvey::readable; ++picture) {
      const auto expected = SmallSurvey::distance(unit / 3, unit % 3, picture);
      const double value = of.values[static_cast<std::size_t>(picture)];
      EXPECT_TRUE(expected ? value == *expected : std::isnan(value)) << unit << " " << picture;
    }
  }
}

TEST_F(SurveyReaderTest, ReadsSeveralMeasuresOfSomeUnits) {
  SurveyReader survey(path_);
  const std::array measures = {survey.index()->measure("distance"),
                               survey.index()->measure("line_score")};
  const std::array units = {4, 0};
  const std::vector<UnitValues> values = survey.read(measures, units);
  ASSERT_EQ(values.size(), 2u);
  ASSERT_EQ(values[0].values.size(), 10u);
  EXPECT_EQ(values[0].values[2], *SmallSurvey::distance(1, 1, 1));
  EXPECT_EQ(values[0].values[3], SmallSurvey::lineScore(1, 1, 1));
  EXPECT_EQ(values[1].values[9], SmallSurvey::lineScore(0, 0, 4));
}

TEST_F(SurveyReaderTest, PassesOverPicturesThatCameLater) {
  SurveyReader survey(path_);
  {
    Database database(path_, Database::Mode::ReadWrite);
    database.execute(
        "BEGIN; INSERT INTO picture VALUES(8, 'dog/8.png', 1, NULL);"
        "INSERT INTO head_value VALUES(8, 0, 1, 1); COMMIT");
  }
  EXPECT_EQ(survey.read(survey.index()->measure("distance"))[0].pictures.size(), 5u);
  EXPECT_EQ(SurveyReader(path_).read(3)[0].pictures.size(), 6u);
}

TEST_F(SurveyReaderTest, IsCancelled) {
  SurveyReader survey(path_);
  Progress progress;
  progress.cancel();
  EXPECT_THROW(survey.read(3, progress), Cancelled);
}

TEST_F(SurveyReaderTest, WhatIsInfiniteIsNotDefined) {
  EXPECT_EQ(complaintAfter("UPDATE head_value SET distance = 9e999"), "");
  SurveyReader survey(path_);
  EXPECT_TRUE(std::isnan(survey.read(3)[0].values[0]));
}

TEST_F(SurveyReaderTest, RefusesWhatIsNoSurvey) {
  EXPECT_THAT(complaintAfter("PRAGMA application_id = 7"), HasSubstr("not a survey"));
  EXPECT_THAT(complaintAfter("PRAGMA user_version = 3"), HasSubstr("later Softscope"));
  EXPECT_THAT(complaintAfter("PRAGMA user_version = 0"), HasSubstr("no version"));
  std::ofstream(path_) << std::string(9000, 'x');
  EXPECT_THAT(complaint(), HasSubstr("is not a survey"));
  std::ofstream(path_).close();
  EXPECT_THAT(complaint(), HasSubstr("not a survey"));
  std::filesystem::remove(path_);
  EXPECT_THAT(complaint(), HasSubstr("no such file"));
  std::filesystem::create_directory(path_);
  EXPECT_THAT(complaint(), HasSubstr("cannot be"));
}

TEST_F(SurveyReaderTest, RefusesWhatIsCutShort) {
  const auto whole = std::filesystem::file_size(path_);
  const std::string content = test::contentOf(path_);
  for (std::uintmax_t size = 1; size < whole; size += 509) {
    std::filesystem::remove(path_);
    std::ofstream(path_, std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(size));
    EXPECT_NE(complaint(), "") << size;
  }
}

TEST_F(SurveyReaderTest, SurvivesAnyByteChanged) {
  const std::string content = test::contentOf(path_);
  for (std::size_t i = 100; i < content.size(); i += 389) {
    std::string changed = content;
    changed[i] = static_cast<char>(changed[i] ^ 0x5a);
    std::filesystem::remove(path_);
    std::ofstream(path_, std::ios::binary) << changed;
    // Either it reads, with another number in it, or it is refused in one line.
    complaint();
  }
}

TEST_F(SurveyReaderTest, RefusesMissingTablesAndColumns) {
  for (const char* table :
       {"survey", "model", "layer", "head", "class", "picture", "measure", "head_value"}) {
    EXPECT_THAT(complaintAfter(std::string("DROP TABLE ") + table), HasSubstr("has no table"))
        << table;
  }
  EXPECT_THAT(complaintAfter("ALTER TABLE picture DROP COLUMN unreadable"),
              HasSubstr("its table \"picture\" has other columns"));
  EXPECT_THAT(complaintAfter("ALTER TABLE head_value DROP COLUMN distance"), HasSubstr("column"));
  EXPECT_THAT(complaintAfter("UPDATE measure SET scope = 'model' WHERE name = 'distance'"),
              HasSubstr("lacks the column"));
}

TEST_F(SurveyReaderTest, RefusesWrongContents) {
  const std::array<std::pair<const char*, const char*>, 19> changes = {{
      {"UPDATE layer SET model = 9 WHERE id = 0", "not there"},
      {"UPDATE head SET layer = 99 WHERE id = 0", "not there"},
      {"UPDATE picture SET class = 7", "not there"},
      {"INSERT INTO head_value VALUES(0, 77, 1, 1)", "not there"},
      {"INSERT INTO head_value VALUES(77, 0, 1, 1)", "not there"},
      {"INSERT INTO model_value VALUES(0, 77, 1)", "not there"},
      {"UPDATE layer SET heads = 1000000000", "1000000000"},
      {"UPDATE head SET head = 1000000000 WHERE id = 0", "1000000000"},
      {"UPDATE head SET head = -1 WHERE id = 0", "-1"},
      {"UPDATE layer SET position = -4", "-4"},
      {"UPDATE head_value SET distance = 'near'", "no number"},
      {"UPDATE head_value SET distance = x'00'", "no number"},
      {"UPDATE head_value SET head = 'one' WHERE picture = 0 AND head = 1", "no whole number"},
      {"UPDATE model SET name = x'616263' WHERE id = 0", "no text"},
      {"UPDATE model SET name = hex(zeroblob(200000)) WHERE id = 0", "bytes"},
      {"UPDATE model SET name = hex(zeroblob(7000000)) WHERE id = 0", "bytes"},
      {"UPDATE model SET name = '' WHERE id = 0", "no name"},
      {"UPDATE measure SET scope = 'patch'", "scope"},
      {"UPDATE survey SET value = x'00'", "no text"},
  }};
  for (const auto& [sql, phrase] : changes)
    EXPECT_THAT(complaintAfter(sql), HasSubstr(phrase)) << sql;
}

TEST_F(SurveyReaderTest, RefusesRowsThatComeAgain) {
  // A page that says of all pages below it that they are the first.
  {
    Database database(path_, Database::Mode::ReadWrite);
    for (int picture = 100; picture < 300; ++picture) {
      const std::string id = std::to_string(picture);
      database.execute("INSERT INTO picture VALUES(" + id + ", '" + id + "', 0, NULL)");
      for (int head = 0; head < 3; ++head) {
        database.execute("INSERT INTO head_value VALUES(" + id + ", " + std::to_string(head) +
                         ", 0.125, 0.25)");
      }
    }
  }
  EXPECT_EQ(complaint(), "");
  std::int64_t root = 0;
  {
    Database database(path_, Database::Mode::ReadOnly);
    Statement select(database, "SELECT rootpage FROM sqlite_master WHERE name = 'head_value'");
    ASSERT_TRUE(select.step());
    root = select.integer(0);
  }
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  const std::streamoff page = 4096 * (root - 1);
  std::string bytes(4096, '\0');
  file.seekg(page).read(bytes.data(), 4096);
  constexpr char interiorPageOfIndex = 2;
  ASSERT_EQ(bytes[0], interiorPageOfIndex);
  const auto number = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at])) << 8 |
           static_cast<unsigned char>(bytes[at + 1]);
  };
  const std::string child = bytes.substr(number(12), 4);
  bytes.replace(8, 4, child);
  for (std::size_t cell = 0; cell < number(3); ++cell)
    bytes.replace(number(12 + 2 * cell), 4, child);
  file.seekp(page).write(bytes.data(), 4096);
  file.close();
  EXPECT_NE(complaint(), "");
}

TEST_F(SurveyReaderTest, TellsHowPicturesWerePrepared) {
  EXPECT_EQ(complaintAfter("UPDATE model SET transform = '{\"height\":96}' WHERE id = 1"), "");
  const SurveyReader survey(path_);
  EXPECT_EQ(survey.index()->models[0].transform, "{}");
  EXPECT_EQ(survey.index()->models[1].transform, R"({"height":96})");
}

}  // namespace
}  // namespace softscope
