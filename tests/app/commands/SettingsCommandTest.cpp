#include "core/array/Npy.h"
#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace softscope {
namespace {

namespace fs = std::filesystem;
using test::data;
using test::expectOneLine;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::Not;

/// Writes a picture of 64 x 64 pixels in coloured squares, as a BMP of 24 bits.
void writeSquares(const std::string& path, unsigned seed) {
  constexpr int side = 64;
  constexpr int square = 16;
  std::mt19937 random(seed);
  std::string pixels(3 * side * side, '\0');
  for (int row = 0; row < side; row += square) {
    for (int column = 0; column < side; column += square) {
      const auto color = static_cast<std::uint32_t>(random());
      for (int i = 0; i < square * square; ++i) {
        const int at = 3 * ((row + i / square) * side + column + i % square);
        for (int channel = 0; channel < 3; ++channel) {
          pixels[static_cast<std::size_t>(at + channel)] =
              static_cast<char>(color >> (8 * channel));
        }
      }
    }
  }
  std::ofstream file(path, std::ios::binary);
  const auto number = [&](std::uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) file.put(static_cast<char>(value >> (8 * i)));
  };
  file << "BM";
  for (const std::uint32_t value : {54U + 3 * side * side, 0U, 54U, 40U, 64U, 64U}) {
    number(value, 4);
  }
  number(1, 2);
  number(24, 2);
  for (int i = 0; i < 6; ++i) number(0, 4);
  file << pixels;
}

/// DeiT's golden network, and pictures in folders of what it answers with a single head.
class SettingsCommand : public ::testing::Test {
 protected:
  static constexpr int pictures = 8;

  SettingsCommand() {
    const Outcome converted = test::softscope(
        "convert " + data("golden/deit/checkpoint.pth") + " -o " + model_ +
        R"( --attention softmax --activation gelu --epsilon 1e-6 --norm pre --pooling cls)"
        " --prefix-positions 1 --mean imagenet"
        R"( --set 'classes=["c0","c1","c2","c3","c4","c5","c6","c7","c8","c9"]')");
    EXPECT_EQ(converted.exitCode, 0) << converted.errors;
    for (unsigned seed = 0; seed < pictures; ++seed) {
      const std::string name = std::to_string(seed) + ".bmp";
      writeSquares(folder_ / name, seed);
      const Outcome dumped = test::softscope("dump -m " + model_ + " " + (folder_ / name) + size +
                                             " --exif off --heads 1 -o " + (folder_ / "dump"));
      EXPECT_EQ(dumped.exitCode, 0) << dumped.errors;
      const std::vector<float> logits = readNpy(folder_ / "dump/logits.npy").values;
      const auto label = std::max_element(logits.begin(), logits.end()) - logits.begin();
      const std::string ofClass = folder_ / ("labelled/c" + std::to_string(label));
      fs::create_directories(ofClass);
      fs::create_directories(folder_ / "plain");
      fs::copy_file(folder_ / name, ofClass + "/" + name);
      fs::rename(folder_ / name, folder_ / ("plain/" + name));
      fs::remove_all(folder_ / "dump");
    }
  }

  const std::string size = " --size 64x96";
  TemporaryFolder folder_;
  const std::string model_ = folder_ / "deit.safetensors";
};

TEST_F(SettingsCommand, FindsTheHeadsByLabelledPictures) {
  const Outcome outcome =
      test::softscope("settings " + model_ + " " + (folder_ / "labelled") + size);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("on 8 pictures:\nheads"));
  EXPECT_THAT(outcome.output, HasSubstr("\n1 "));
  EXPECT_THAT(outcome.output, HasSubstr("100.0 % +- 0.0"));
  EXPECT_THAT(outcome.output, HasSubstr("best: --heads 1\n"));
  EXPECT_EQ(outcome.guesses, "");
}

TEST_F(SettingsCommand, WithoutClassesSaysHowSureTheNetworkIs) {
  const Outcome outcome = test::softscope("settings " + model_ + " " + (folder_ / "plain") + size);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("surest: --heads "));
  EXPECT_THAT(outcome.output, HasSubstr("Being sure is not being right"));
  EXPECT_THAT(outcome.output, Not(HasSubstr("accuracy")));
}

TEST_F(SettingsCommand, TriesNothingThatIsTold) {
  const Outcome told =
      test::softscope("settings " + model_ + " " + (folder_ / "labelled") + size + " --heads 2");
  EXPECT_EQ(told.exitCode, 0) << told.errors;
  EXPECT_THAT(told.output, HasSubstr("leaves nothing to choose"));
  expectOneLine(test::softscope("settings " + model_ + " " + (folder_ / "none") + size), 1,
                "does not exist");
}

TEST_F(SettingsCommand, TriesNoMeanWithTheDeviationOfAnother) {
  const Outcome outcome = test::softscope(
      "settings " + data("golden/deit/checkpoint.pth") + " " + (folder_ / "plain") + size +
      " --heads 1 --attention softmax --activation gelu --epsilon 1e-6 --norm pre --pooling cls"
      " --prefix-positions 1 --limit 2");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("surest: --mean "));
  EXPECT_THAT(outcome.output, Not(HasSubstr("std")));
  EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 8)
      << "two headings, four means and two lines of advice: " << outcome.output;
}

TEST_F(SettingsCommand, CountsAndNamesWhatItCannotRead) {
  const std::string ofClass = fs::directory_iterator(folder_ / "labelled")->path().string();
  std::ofstream(ofClass + "/broken.png") << "no picture";
  const Outcome outcome =
      test::softscope("settings " + model_ + " " + (folder_ / "labelled") + size);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("on 8 pictures:\n"));
  EXPECT_THAT(outcome.errors, HasSubstr("passed over 1 file that cannot be read as pictures, the "
                                        "first: "));
  EXPECT_THAT(outcome.errors, HasSubstr("broken.png"));
}

TEST_F(SettingsCommand, CallsNothingTheBestThatIsNotPossible) {
  for (const char* folder : {"labelled", "plain"}) {
    const Outcome outcome =
        test::softscope("settings " + model_ + " " + (folder_ / folder) + " --size 64x97");
    expectOneLine(outcome, 1, "no settings are possible here; with --heads");
    EXPECT_EQ(outcome.output, "");
  }
}

}  // namespace
}  // namespace softscope
