#include "core/array/Npy.h"
#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace softscope {
namespace {

using test::data;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string microscopy = data("image/stack16.tif");
const std::string smallModel = data("golden/soft/checkpoint.pth");

/// The logits of a picture read in some way.
std::vector<float> logitsOf(const std::string& picture, const std::string& options) {
  const TemporaryFolder folder;
  const Outcome outcome =
      test::softscope("dump -m " + smallModel + " " + picture + " -o " + (folder / "dump") +
                      " --layers block4.0.attn --rows 0 " + options);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  return outcome.exitCode == 0 ? readNpy(folder / "dump/logits.npy").values : std::vector<float>();
}

TEST(PictureReading, DecidesWhatTheNetworkIsFed) {
  const std::vector<float> usual = logitsOf(microscopy, "");
  EXPECT_EQ(logitsOf(microscopy, "--levels full --page 1"), usual);
  EXPECT_EQ(logitsOf(microscopy, "--levels 0,65535"), usual);
  const std::vector<float> stretched = logitsOf(microscopy, "--levels auto");
  EXPECT_NE(stretched, usual);
  // Each page is the first one, brighter by 200.
  EXPECT_EQ(logitsOf(microscopy, "--levels auto --page 3"), stretched);
  EXPECT_NE(logitsOf(microscopy, "--levels 300,3000 --page 3"),
            logitsOf(microscopy, "--levels 300,3000"));
}

TEST(PictureReading, IsSaidOnceOnStandardError) {
  const TemporaryFolder folder;
  const Outcome outcome = test::softscope("figure compare -m " + smallModel + " -m " + smallModel +
                                          " " + microscopy + " --data " + (folder / "maps.npz"));
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
  EXPECT_THAT(outcome.errors,
              AllOf(StartsWith("softscope: " + microscopy + ": 16-bit, values "),
                    HasSubstr(" of 65 535, shown from 0 to 65 535 (--levels auto or LOW,HIGH"),
                    HasSubstr("; page 1 of 3 (--page N for another)\n")));
}

TEST(PictureReading, OfAnOrdinaryPictureIsNotSaid) {
  const TemporaryFolder folder;
  const Outcome outcome = test::softscope("dump -m " + smallModel + " " + data("image/rgb.png") +
                                          " -o " + (folder / "dump"));
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(outcome.errors, "");
}

TEST(PictureReading, IsRefusedInWordsWhereItCannotBe) {
  const std::string dump = "dump -m " + smallModel + " " + microscopy + " -o /nowhere/dump ";
  for (const char* range : {"bright", "5", "9,3", "0,65536"}) {
    const Outcome outcome = test::softscope(dump + "--levels " + range);
    EXPECT_EQ(outcome.exitCode, 2) << range;
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
    EXPECT_THAT(outcome.errors, HasSubstr("--levels is auto, full or LOW,HIGH"));
  }
  EXPECT_EQ(test::softscope(dump + "--page 0").exitCode, 2);
  const Outcome beyond = test::softscope(dump + "--page 4");
  EXPECT_EQ(beyond.exitCode, 1);
  EXPECT_THAT(beyond.errors, HasSubstr("it holds 3; --page is from 1 to 3"));
}

TEST(PictureReading, OfASurveyIsSaidOnceAndKept) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "pictures");
  std::filesystem::copy(microscopy, folder / "pictures/a.tif");
  std::filesystem::copy(microscopy, folder / "pictures/b.tif");
  std::filesystem::copy(data("image/rgb.png"), folder / "pictures/c.png");
  const std::string survey =
      "survey -m " + smallModel + " " + (folder / "pictures") + " --measure confidence -o ";
  const Outcome full = test::softscope(survey + (folder / "full.survey"));
  ASSERT_EQ(full.exitCode, 0) << full.errors;
  EXPECT_EQ(full.errorLines(), 1) << full.errors;
  EXPECT_THAT(full.errors, HasSubstr("2 pictures are not fed as they are stored, the first: "));
  const Outcome given = test::softscope(survey + (folder / "given.survey") + " --levels 254,3250");
  ASSERT_EQ(given.exitCode, 0) << given.errors;
  const auto tableOf = [&](const std::string& name) {
    return test::softscope("table " + (folder / name)).output;
  };
  EXPECT_NE(tableOf("full.survey"), tableOf("given.survey"));
  const Outcome other = test::softscope(survey + (folder / "given.survey"));
  EXPECT_EQ(other.exitCode, 1) << "another range is another survey";
  EXPECT_THAT(other.errors, HasSubstr("range"));
  EXPECT_EQ(test::softscope(survey + (folder / "given.survey") + " --levels 254,3250").exitCode, 0);
}

}  // namespace
}  // namespace softscope
