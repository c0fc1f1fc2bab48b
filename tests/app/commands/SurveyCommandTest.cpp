#include "core/survey/Database.h"
#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>

namespace softscope {
namespace {

namespace fs = std::filesystem;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::HasSubstr;

class SurveyCommand : public ::testing::Test {
 protected:
  SurveyCommand() {
    const fs::path bundled = fs::path(SOFTSCOPE_SOURCE) / "resources" / "pictures" / "chelsea.png";
    for (const char* name : {"cat/1.png", "cat/2.png", "dog/3.png"}) {
      fs::create_directories((pictures_ / name).parent_path());
      fs::copy_file(bundled, pictures_ / name);
    }
  }

  static std::string model(const std::string& name = "soft_norm_everyday10") {
    return std::string(SOFTSCOPE_SOURCE) + "/resources/checkpoints/" + name + ".safetensors";
  }
  /// Of two measures at a small size, into FOLDER/OUTPUT.
  Outcome survey(const std::string& output, const std::string& options = {},
                 const std::string& measures = "confidence,entropy") const {
    return test::softscope("survey -m " + model() + " " + pictures_.string() + " -o '" +
                           (folder_ / output) + "' --size 64 --measure " + measures + " " +
                           options);
  }
  Outcome merge(const std::string& inputs, const std::string& output) const {
    return test::softscope("merge " + inputs + " -o " + output, {},
                           "cd " + (folder_ / "") + " && ");
  }

  static void expectComplaint(const Outcome& outcome, const std::string& why) {
    test::expectOneLine(outcome, 1, why);
  }

  TemporaryFolder folder_;
  fs::path pictures_ = folder_ / "pictures";
};

TEST_F(SurveyCommand, OrdersAtRandomBelongToDeletionAndToTheFile) {
  const Outcome without = survey("out.survey", "--random 2");
  EXPECT_EQ(without.exitCode, 2);
  EXPECT_THAT(without.errors, HasSubstr("--random is of the measure deletion"));
  const Outcome first = survey("out.survey", "--limit 1 --random 0", "deletion_queries");
  EXPECT_EQ(first.exitCode, 0) << first.errors;
  EXPECT_THAT(first.errors, HasSubstr("74 further forward passes"));
  expectComplaint(survey("out.survey", "--limit 1 --random 1", "deletion_queries"),
                  "random_orders: 0 in the file, 1 now");
}

TEST_F(SurveyCommand, ListsWhatItMeasures) {
  const Outcome listed = test::softscope("survey --list");
  EXPECT_EQ(listed.exitCode, 0) << listed.errors;
  EXPECT_THAT(listed.output, HasSubstr("attention_distance\n    Attention distance, pixels of the "
                                       "input; of every head\n    An Image is Worth 16x16 Words"));
  EXPECT_THAT(listed.output, HasSubstr("takes further passes, by --measure alone, as part of "
                                       "ablation"));
}

TEST_F(SurveyCommand, GoesOnAndCountsWhatIsUnreadable) {
  std::ofstream(pictures_ / "dog" / "4.jpg") << "cut short";
  std::ofstream(pictures_ / "dog" / "notes.txt") << "no picture either";
  const Outcome first = survey("a.survey");
  EXPECT_EQ(first.exitCode, 0) << first.errors;
  EXPECT_THAT(first.output, HasSubstr("a.survey: 4 pictures, 1 of them unreadable; 4 now, "));
  EXPECT_THAT(first.errors, HasSubstr("passed over a file that is not named like a picture"));
  const Outcome again = survey("a.survey", "--workers 2");
  EXPECT_EQ(again.exitCode, 0) << again.errors;
  EXPECT_THAT(again.output, HasSubstr("a.survey: 4 pictures, 1 of them unreadable; 1 now, "));
  EXPECT_THAT(again.errors, HasSubstr("passed over 1 file that cannot be read as pictures, the "
                                      "first: " +
                                      (pictures_ / "dog" / "4.jpg").string()));
  fs::copy_file(pictures_ / "dog" / "3.png", pictures_ / "dog" / "4.jpg",
                fs::copy_options::overwrite_existing);
  const Outcome restored = survey("a.survey");
  EXPECT_EQ(restored.exitCode, 0) << restored.errors;
  EXPECT_THAT(restored.output, HasSubstr("a.survey: 4 pictures; 1 now, "));
  EXPECT_FALSE(fs::exists(folder_ / "a.survey-journal"));
}

TEST_F(SurveyCommand, MixesNoPicturesThatWereExchanged) {
  const fs::path list = folder_ / "list.txt";
  std::ofstream(list) << "a.png\nb.png\n";
  const auto of = [&](const std::string& options = {}) {
    return test::softscope("survey -m " + model() + " " + list.string() + " -o " +
                           (folder_ / "out.survey") + " --size 64 --measure entropy " + options);
  };
  fs::copy_file(pictures_ / "dog" / "3.png", folder_ / "a.png");
  const Outcome first = of();
  EXPECT_THAT(first.output, HasSubstr("2 pictures, 1 of them unreadable")) << first.errors;
  fs::copy_file(pictures_ / "dog" / "3.png", folder_ / "b.png");
  const Outcome returned = of();
  EXPECT_THAT(returned.output, HasSubstr("2 pictures; 1 now")) << returned.errors;
  // One byte of the header's picture is another, so that the size stays.
  std::fstream(folder_ / "a.png", std::ios::in | std::ios::out).seekp(100).put('x');
  expectComplaint(of(), "has numbers of another picture in " + (folder_ / "a.png"));
}

TEST_F(SurveyCommand, FailsWhereNoPictureCanBeRead) {
  for (const char* name : {"cat/1.png", "cat/2.png", "dog/3.png"}) {
    std::ofstream(pictures_ / name) << "no picture";
  }
  for (int attempt = 0; attempt < 2; ++attempt) {
    expectComplaint(survey("a.survey"), "none of its 3 pictures can be read, the first: ");
  }
}

TEST_F(SurveyCommand, RefusesAnotherRecipe) {
  ASSERT_EQ(survey("a.survey").exitCode, 0);
  expectComplaint(survey("a.survey", {}, "confidence"),
                  "was measured by another recipe (measures: \"entropy\" in the file, no "
                  "\"entropy\" now)");
  expectComplaint(
      survey("a.survey", "--attention soft"),
      "(models, soft_norm_everyday10, mechanism: \"soft++\" in the file, \"soft\" now)");
  expectComplaint(survey("a.survey", "--limit 2"), "is of other pictures: 3 of ");
  expectComplaint(survey("a.survey", "--shard 1/2"), "is of shard 1/1, and this is 1/2");
}

TEST_F(SurveyCommand, SaysWhatTakesLong) {
  const Outcome measured = survey("a.survey", "--layer 'block4.*' --limit 1", "ablation");
  EXPECT_EQ(measured.exitCode, 0) << measured.errors;
  // Two layers of five heads, and the untouched one.
  EXPECT_THAT(measured.errors, HasSubstr("13 further forward passes for each picture: about "));
}

TEST_F(SurveyCommand, MergesShardsAndNamesWhatIsWrong) {
  ASSERT_EQ(survey("part-{shard}.survey", "--shard 1/2").exitCode, 0);
  expectComplaint(merge("part-1-of-2.survey", "all.survey"),
                  "1 of 3 pictures are in none of the files, the first being number 1; shard 2/2 "
                  "is missing");
  ASSERT_EQ(survey("part-{shard}.survey", "--shard 2/2").exitCode, 0);
  expectComplaint(merge("part-1-of-2.survey part-1-of-2.survey part-2-of-2.survey", "all.survey"),
                  "has cat/1.png, and so has part-1-of-2.survey");
  ASSERT_EQ(survey("other.survey", {}, "confidence").exitCode, 0);
  expectComplaint(merge("part-1-of-2.survey other.survey", "all.survey"),
                  "other.survey: was measured by another recipe than part-1-of-2.survey");
  expectComplaint(merge("part-1-of-2.survey " + model(), "all.survey"), "is not a survey");
  expectComplaint(merge("part-1-of-2.survey part-2-of-2.survey", "/no/such/folder/all.survey"),
                  "the folder /no/such/folder does not exist");
  const Outcome merged = merge("part-1-of-2.survey part-2-of-2.survey", "all.survey");
  EXPECT_EQ(merged.exitCode, 0) << merged.errors;
  EXPECT_EQ(merged.output, "all.survey: 3 pictures\n");
  expectComplaint(merge("part-1-of-2.survey part-2-of-2.survey", "all.survey"), "exists already");
}

TEST_F(SurveyCommand, SaysWhatIsWrong) {
  test::expectOneLine(survey("a.survey", {}, "entropie"), 2,
                      "there is no measure entropie; softscope survey --list names them");
  expectComplaint(survey("a.survey", "--layer block9"), "there is no layer block9");
  expectComplaint(survey("nowhere/a.survey"), "nowhere does not exist");
  expectComplaint(survey("a.survey", "--split test"), "has no folder test/");
  const std::string recording = folder_ / "cat.safetensors";
  ASSERT_EQ(test::softscope("record -m " + model() + " " + (pictures_ / "cat/1.png").string() +
                            " -o " + recording)
                .exitCode,
            0);
  expectComplaint(test::softscope("survey -m " + recording + " " + pictures_.string() + " -o " +
                                  (folder_ / "r.survey")),
                  "recording");
  for (const char* options : {"--shard 3/2", "--shard auto", "--workers 0", "--limit 0"}) {
    EXPECT_EQ(survey("b.survey", options).exitCode, 2) << options;
  }
  EXPECT_EQ(survey("b.csv").exitCode, 2);
  EXPECT_EQ(test::softscope("survey " + pictures_.string() + " -o b.survey").exitCode, 2);
  EXPECT_FALSE(fs::exists(folder_ / "b.survey"));
}

TEST_F(SurveyCommand, RefusesACropOfWholePictures) {
  for (const std::string size : {"64x64", "full"}) {
    const Outcome outcome = test::softscope("survey -m " + model() + " " + pictures_.string() +
                                            " -o " + (folder_ / "out.survey") +
                                            " --measure confidence --crop 0.9 --size " + size);
    test::expectOneLine(outcome, 2, "--size " + size + " feeds whole ones");
  }
  EXPECT_EQ(survey("out.survey", "--crop 0.9", "confidence").exitCode, 0);
}

TEST_F(SurveyCommand, AsksForANameWhereTheFileHasNoReadableOne) {
  const std::string odd = folder_ / "m\xff.safetensors";
  fs::copy_file(model(), odd);
  const std::string command = "survey -m '" + odd + "' " + pictures_.string() + " -o " +
                              (folder_ / "out.survey") + " --measure confidence --size 64 ";
  test::expectOneLine(test::softscope(command), 2, "give it one with --name");
  const Outcome named = test::softscope(command + "--name odd");
  EXPECT_EQ(named.exitCode, 0) << named.errors;
}

TEST_F(SurveyCommand, SaysOnlyWhatIsWrongWhereItFails) {
  std::ofstream(pictures_ / "notes.txt") << "no picture";
  const Outcome other =
      survey("out.survey", "--limit 2 --random 0 --layer nonsense", "deletion_queries");
  expectComplaint(other, "nonsense");
}

TEST_F(SurveyCommand, NumbersWithoutALimitAreRefusedInShort) {
  for (const std::string option : {"--landmark-seed", "--landmark-count", "--limit"}) {
    const Outcome outcome = survey("out.survey", option + " -1");
    test::expectOneLine(outcome, 2, option);
    EXPECT_LT(outcome.errors.size(), 150u) << outcome.errors;
  }
}

TEST_F(SurveyCommand, SaysBeforeWhatTakesLongAndAfterWhatTheResultLacks) {
  fs::rename(pictures_ / "cat", pictures_ / "lion");
  const std::string log = test::logOf("survey -m " + model() + " " + pictures_.string() + " -o " +
                                      (folder_ / "out.survey") +
                                      " --size 64 --measure ablation --layer 'block4.*' --limit 1");
  const std::size_t outcome = log.find("out.survey: 1 picture");
  ASSERT_NE(outcome, std::string::npos) << log;
  EXPECT_LT(log.find("13 further forward passes"), outcome) << log;
  const std::size_t lacking = log.find("the folders are no classes of");
  EXPECT_NE(lacking, std::string::npos) << log;
  EXPECT_GT(lacking, outcome) << log;
}

TEST_F(SurveyCommand, PassesOverTheCropForAModelThatSeesWholePictures) {
  const test::UnpackedArchive libraries("libraries.zip");
  const std::string whole = libraries.folder("fb_dinov3") + "/checkpoint.pth";
  const Outcome outcome =
      test::softscope("survey -m " + model() + " -m " + whole + " " + pictures_.string() + " -o " +
                      (folder_ / "out.survey") + " --measure entropy --crop 0.9 --limit 1");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr(whole + ": --crop is passed over, as "));
  EXPECT_THAT(outcome.errors, ::testing::Not(HasSubstr(model() + ": --crop")));
}

TEST_F(SurveyCommand, LineScoresPutNoTableAmongTheRowsOfStdout) {
  const std::string command = "linescores -m " + model() + " " + (folder_ / "") +
                              " --split pictures --size 64 --layer 'block4.*' --data ";
  const std::string file = folder_ / "lines.csv";
  const Outcome written = test::softscope(command + file);
  ASSERT_EQ(written.exitCode, 0) << written.errors;
  EXPECT_THAT(written.output, HasSubstr("deviation"));
  EXPECT_EQ(test::softscope(command + "/dev/stdout").output, test::contentOf(file));
  EXPECT_THAT(written.output, HasSubstr(file + "\n"));
  const std::string json = folder_ / "lines.json";
  ASSERT_EQ(test::softscope(command + json).exitCode, 0);
  EXPECT_THAT(test::contentOf(json), HasSubstr(" has the largest mean line score, "));
  test::expectOneLine(test::softscope(command + (folder_ / "lines.txt")), 2, ".csv or .json");
}

TEST_F(SurveyCommand, GoesOnFromAnotherFolderWithTheSameClassNames) {
  std::ofstream names(folder_ / "names.txt");
  names << "cat\ndog\n";
  for (int i = 2; i < 10; ++i) names << "animal " << i << '\n';
  names.close();
  fs::create_directories(folder_ / "below");
  const auto from = [&](const std::string& place, const std::string& path, int limit) {
    return test::softscope("survey -m " + model() + " --class-names " + path + " " +
                               pictures_.string() + " -o " + (folder_ / "named.survey") +
                               " --size 64 --measure confidence --limit " + std::to_string(limit),
                           {}, "cd " + (folder_ / place) + " && ");
  };
  const Outcome first = from("", "names.txt", 3);
  ASSERT_EQ(first.exitCode, 0) << first.errors;
  EXPECT_THAT(test::contentOf(folder_ / "named.survey"),
              HasSubstr(R"("class-names":")" + (folder_ / "names.txt") + "\""));
  const Outcome second = from("below", "../names.txt", 3);
  EXPECT_EQ(second.exitCode, 0) << second.errors;
}

TEST_F(SurveyCommand, SaysThatClassesAreTakenByTheirOrder) {
  for (int i = 0; i < 10; ++i) {
    const fs::path day = folder_ / ("days/day" + std::to_string(i));
    fs::create_directories(day);
    fs::copy_file(pictures_ / "cat" / "1.png", day / "1.png");
  }
  const Outcome outcome =
      test::softscope("survey -m " + model() + " " + (folder_ / "days") + " -o " +
                      (folder_ / "out.survey") + " --size 64 --measure confidence --limit 1");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("in alphabetical order: day0 is its "));
}

TEST_F(SurveyCommand, EndsWithAllPicturesAlthoughItsFileIsReadForLong) {
  ASSERT_EQ(survey("out.survey", "", "confidence").exitCode, 0);
  {
    Database database(folder_ / "out.survey", Database::Mode::ReadWrite);
    database.execute("DELETE FROM model_value WHERE picture = 1; DELETE FROM picture WHERE id = 1");
  }
  Database reader(folder_ / "out.survey", Database::Mode::ReadOnly);
  reader.execute("BEGIN; SELECT count(*) FROM picture");
  const std::string log = folder_ / "log";
  const std::string command = "survey -m " + model() + " " + pictures_.string() + " -o " +
                              (folder_ / "out.survey") + " --size 64 --measure confidence";
  std::future<Outcome> survey = std::async(std::launch::async, [&log, &command] {
    return test::softscope(command, {}, "logged() { \"$@\" 2>" + log + "; }; logged ");
  });
  const std::string said = "out.survey is in use by another program; the survey goes on";
  const auto isSaid = [&] { return test::contentOf(log).find(said) != std::string::npos; };
  // It ends before it says so only if it does not wait.
  while (!isSaid() &&
         survey.wait_for(std::chrono::milliseconds(50)) == std::future_status::timeout) {
  }
  EXPECT_TRUE(isSaid()) << test::contentOf(log);
  // It says so once.
  EXPECT_EQ(survey.wait_for(std::chrono::seconds(3)), std::future_status::timeout);
  reader.execute("ROLLBACK");
  const Outcome outcome = survey.get();
  const std::string errors = test::contentOf(log);
  EXPECT_EQ(outcome.exitCode, 0) << errors;
  EXPECT_EQ(errors.find(said), errors.rfind(said)) << errors;
  EXPECT_THAT(outcome.output, HasSubstr(": 3 pictures"));
}

}  // namespace
}  // namespace softscope
