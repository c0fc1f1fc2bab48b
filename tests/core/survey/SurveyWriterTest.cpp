#include "core/Error.h"
#include "core/survey/SurveyTables.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/files/TemporaryFolder.h"
#include "tests/core/survey/SmallSurvey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

namespace softscope {
namespace {

using test::smallEntry;
using test::smallPlan;
using test::smallValues;
using testing::ElementsAre;
using testing::HasSubstr;

class SurveyWriterTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(path_); }
  void TearDown() override { std::filesystem::remove(path_); }

  /// What goes wrong when the file is opened for another plan.
  std::string refusal(const SurveyPlan& plan) const {
    return test::messageOf<SurveyError>([&] { SurveyWriter(path_, plan); });
  }

  const std::string path_ =
      (std::filesystem::path(testing::TempDir()) / "SurveyWriterTest.survey").string();
};

TEST_F(SurveyWriterTest, WritesTheTables) {
  {
    SurveyWriter writer(path_, smallPlan());
    writer.add(1, smallEntry(1), smallValues(1));
    writer.addUnreadable(2, smallEntry(2), "is empty");
  }
  Database database(path_, Database::Mode::ReadOnly);
  EXPECT_EQ(surveyOrigin(database).shard, "1/1");
  Statement heads(database,
                  "SELECT layer.name, layer.position, head.head, head_value.entropy, class.name "
                  "FROM head_value JOIN head ON head.id = head_value.head "
                  "JOIN layer ON layer.id = head.layer "
                  "JOIN picture ON picture.id = head_value.picture "
                  "JOIN class ON class.id = picture.class ORDER BY head_value.head");
  ASSERT_TRUE(heads.step());
  ASSERT_TRUE(heads.step());
  EXPECT_EQ(heads.text(0), "first");
  EXPECT_EQ(heads.integer(2), 1);
  EXPECT_EQ(heads.number(3), 1.1);
  EXPECT_EQ(heads.text(4), "dog");
  ASSERT_TRUE(heads.step());
  EXPECT_EQ(heads.text(0), "second");
  EXPECT_EQ(heads.integer(1), 2);
  EXPECT_FALSE(heads.step());
  Statement layers(database, "SELECT outliers FROM layer_value ORDER BY layer");
  ASSERT_TRUE(layers.step());
  ASSERT_TRUE(layers.step());
  EXPECT_TRUE(layers.isNothing(0));
  Statement unreadable(database, "SELECT unreadable FROM picture WHERE id = 2");
  ASSERT_TRUE(unreadable.step());
  EXPECT_EQ(unreadable.text(0), "is empty");
}

TEST_F(SurveyWriterTest, GoesOnWhereItWas) {
  {
    SurveyWriter writer(path_, smallPlan());
    EXPECT_TRUE(writer.done().empty());
    writer.add(0, smallEntry(0), smallValues(0));
    writer.addUnreadable(3, smallEntry(3), "is empty");
  }
  SurveyWriter writer(path_, smallPlan());
  EXPECT_THAT(writer.done(), ElementsAre(0));
  EXPECT_EQ(writer.unreadable(), 0);
  EXPECT_THROW(writer.add(0, smallEntry(0), smallValues(0)), SurveyError);
  writer.add(1, smallEntry(1), smallValues(1));
  EXPECT_THAT(writer.done(), ElementsAre(0, 1));
}

TEST_F(SurveyWriterTest, PutsValuesInPlaceOfWhatCouldNotBeRead) {
  for (const char* reason : {"is empty", "is no picture"}) {
    SurveyWriter writer(path_, smallPlan());
    writer.addUnreadable(2, smallEntry(2), reason);
    EXPECT_EQ(writer.unreadable(), 1);
  }
  {
    SurveyWriter writer(path_, smallPlan());
    writer.add(2, smallEntry(2), smallValues(2));
  }
  Database database(path_, Database::Mode::ReadOnly);
  Statement rows(database,
                 "SELECT picture.unreadable, count(*) FROM picture "
                 "JOIN head_value ON head_value.picture = picture.id GROUP BY picture.id");
  ASSERT_TRUE(rows.step());
  EXPECT_TRUE(rows.isNothing(0));
  EXPECT_EQ(rows.integer(1), 3);
  EXPECT_FALSE(rows.step());
}

TEST_F(SurveyWriterTest, BeginsInAFileWhoseMakingWasInterrupted) {
  std::ofstream(path_).flush();
  SurveyWriter writer(path_, smallPlan());
  EXPECT_TRUE(writer.done().empty());
}

TEST_F(SurveyWriterTest, NamesWhatIsAnotherRecipe) {
  { const SurveyWriter writer(path_, smallPlan()); }
  SurveyPlan plan = smallPlan();
  plan.measures.pop_back();
  EXPECT_THAT(refusal(plan),
              HasSubstr("(measures: \"confidence\" in the file, no \"confidence\" now)"));
  plan = smallPlan();
  plan.models[0].fingerprint = "124";
  EXPECT_THAT(refusal(plan),
              HasSubstr("(models, model, fingerprint: \"123\" in the file, \"124\" now)"));
  plan = smallPlan();
  plan.models[0].request = R"({"attention":"soft++","device":"cpu"})";
  EXPECT_THAT(
      refusal(plan),
      HasSubstr("(models, model, request, attention: nothing in the file, \"soft++\" now)"));
  plan = smallPlan();
  plan.models.push_back(plan.models.front());
  plan.models[1].name = "second";
  EXPECT_THAT(refusal(plan), HasSubstr("(models: 1 in the file, second now)"));
  plan = smallPlan();
  plan.randomOrders = 20;
  EXPECT_THAT(refusal(plan), HasSubstr("(random_orders: nothing in the file, 20 now)"));
  plan = smallPlan();
  plan.models[0].logitOfClass = {1, 0};
  EXPECT_THAT(refusal(plan), HasSubstr("logits_of_classes"))
      << "the classes would have other names from here on";
  EXPECT_EQ(refusal(smallPlan()), "");
}

TEST_F(SurveyWriterTest, NamesOtherPicturesAndShards) {
  { const SurveyWriter writer(path_, smallPlan()); }
  SurveyPlan plan = smallPlan();
  plan.listing = "abd";
  plan.pictures = 5;
  EXPECT_THAT(refusal(plan), HasSubstr("is of other pictures: 4 of /pictures as they were then, "
                                       "and now 5 of /pictures with other names"));
  plan = smallPlan();
  plan.shard = {2, 3};
  EXPECT_THAT(refusal(plan), HasSubstr("is of shard 1/1, and this is 2/3"));
}

TEST_F(SurveyWriterTest, RefusesWhatWasWrittenSinceItWasMeasured) {
  const test::TemporaryFolder folder;
  const std::string picture = folder / "0.png";
  SurveyPlan plan = smallPlan();
  plan.folder = folder / "";
  const auto write = [&](const std::string& content, std::int64_t seconds) {
    std::ofstream(picture) << content;
    const auto time = std::filesystem::file_time_type() + std::chrono::seconds(seconds);
    std::filesystem::last_write_time(picture, time);
  };
  write("first", 0);
  {
    SurveyWriter writer(path_, plan);
    writer.add(0, smallEntry(0), smallValues(0), withChecksum(*pictureFileAt(picture), picture));
    writer.addUnreadable(1, smallEntry(1), "is cut short");
  }
  EXPECT_EQ(refusal(plan), "");
  write("first", 9);
  EXPECT_EQ(refusal(plan), "") << "of the same content, as a copied folder is";
  write("other", 9);
  EXPECT_THAT(refusal(plan), HasSubstr("has numbers of another picture in " + picture))
      << "of the same size";
  write("longer than it was", 0);
  EXPECT_THAT(refusal(plan), HasSubstr("which was written since it was measured"));
  std::filesystem::remove(picture);
  EXPECT_EQ(refusal(plan), "") << "nothing is to be measured of it";
  std::ofstream(folder / "1.png") << "repaired";
  EXPECT_EQ(refusal(plan), "") << "it has no numbers yet";
}

TEST_F(SurveyWriterTest, GoesOnWithAFileOfTheFirstVersion) {
  SurveyPlan plan = smallPlan();
  {
    SurveyWriter writer(path_, plan);
    writer.add(0, smallEntry(0), smallValues(0));
  }
  Database(path_, Database::Mode::ReadWrite)
      .execute("DROP TABLE picture_file; PRAGMA user_version = 1");
  plan.listing = "names alone";
  plan.firstVersionsListing = [] { return "abc"; };
  {
    SurveyWriter writer(path_, plan);
    EXPECT_THAT(writer.done(), ElementsAre(0));
    writer.add(1, smallEntry(1), smallValues(1), PictureFile{.size = 1, .sha256 = "a"});
  }
  plan.firstVersionsListing = [] { return "abd"; };
  EXPECT_THAT(refusal(plan), HasSubstr("with other names or sizes"));
}

TEST_F(SurveyWriterTest, RefusesOtherFiles) {
  std::ofstream(path_) << std::string(5000, 'x');
  EXPECT_THAT(refusal(smallPlan()), HasSubstr("is not a survey"));
  std::filesystem::remove(path_);
  {
    Database database(path_, Database::Mode::Create);
    database.execute("CREATE TABLE mine(number REAL)");
  }
  EXPECT_THAT(refusal(smallPlan()), HasSubstr("is not a survey"));
}

TEST_F(SurveyWriterTest, AFileFromBeforeLogitsOfClassesWereKeptCanBeContinued) {
  EXPECT_EQ(recipeDifference(R"({"models":[{"name":"m"}]})",
                             R"({"models":[{"name":"m","logits_of_classes":[1,0]}]})"),
            "");
}

TEST(Recipe, DoesNotDependOnWhereTheClassNamesLie) {
  const RecipeNames names{"in the file", "now"};
  const std::string without = R"({"models":[{"name":"m","request":{"device":"cpu"}}]})";
  const auto with = [](const std::string& path) {
    return R"({"models":[{"name":"m","request":{"class-names":")" + path +
           R"(","device":"cpu"}}]})";
  };
  EXPECT_EQ(recipeDifference(with("names.txt"), with("/data/names.txt"), names), "");
  EXPECT_EQ(recipeDifference(with("names.txt"), without, names), "");
  EXPECT_EQ(recipeDifference(without, with("names.txt"), names), "");
}

TEST_F(SurveyWriterTest, WaitsForAProgramThatReadsForLong) {
  SurveyWriter writer(path_, smallPlan());
  Database reader(path_, Database::Mode::ReadOnly);
  const auto read = [&] { reader.execute("BEGIN; SELECT count(*) FROM picture"); };
  int waits = 0;
  writer.waitWhileLocked(
      [&] {
        if (++waits % 2 == 0) reader.execute("ROLLBACK");
      },
      std::chrono::milliseconds(1));
  read();
  writer.add(0, smallEntry(0), smallValues(0));
  EXPECT_EQ(waits, 2);
  read();
  writer.addUnreadable(1, smallEntry(1), "is empty");
  EXPECT_EQ(waits, 4);
  EXPECT_THAT(SurveyWriter(path_, smallPlan()).done(), ElementsAre(0));
}

TEST_F(SurveyWriterTest, StopsWaitingWhenItIsToldTo) {
  SurveyWriter writer(path_, smallPlan());
  Database reader(path_, Database::Mode::ReadOnly);
  reader.execute("BEGIN; SELECT count(*) FROM picture");
  writer.waitWhileLocked([] { throw Cancelled(); }, std::chrono::milliseconds(1));
  EXPECT_THROW(writer.add(0, smallEntry(0), smallValues(0)), Cancelled);
  EXPECT_TRUE(writer.done().empty());
  reader.execute("ROLLBACK");
  writer.add(0, smallEntry(0), smallValues(0));
  EXPECT_THAT(writer.done(), ElementsAre(0));
}

}  // namespace
}  // namespace softscope
