#include "core/array/Npy.h"
#include "core/array/Npz.h"
#include "tests/app/commands/Run.h"
#include "tests/models/UnpackedArchive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace softscope {
namespace {

using test::contentOf;
using test::expectOneLine;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::HasSubstr;

const std::string boxedTokens = std::string(SOFTSCOPE_SOURCE) + "/resources/";
const std::string tokensModel = "figure tokens -m " + boxedTokens +
                                "checkpoints/sima_xcit_everyday10.safetensors --size 64 "
                                "--layer blocks.3.attn ";

class TokensFigure : public ::testing::Test {
 protected:
  std::map<std::string, FloatArray> arraysOf(const std::string& arguments) {
    return test::writtenArrays(tokensModel + arguments);
  }

  std::vector<float> colorsOf(const std::string& arguments, const std::string& picture = "") {
    auto arrays = arraysOf(arguments + " --show components");
    return arrays[(picture.empty() ? "" : picture + ".") + name_ + ".components"].values;
  }

  static void expectNear(const std::vector<float>& one, const std::vector<float>& other) {
    ASSERT_EQ(one.size(), other.size());
    ASSERT_FALSE(one.empty());
    for (std::size_t i = 0; i < one.size(); ++i) ASSERT_NEAR(one[i], other[i], 1e-5) << i;
  }

  const std::string cat_ = boxedTokens + "pictures/chelsea.png ";
  const std::string astronaut_ = boxedTokens + "pictures/astronaut.jpg ";
  const std::string name_ = "sima_xcit_everyday10.blocks_3_attn";
  TemporaryFolder folder_;
};

TEST_F(TokensFigure, FitsComponentsOnAllPicturesTogether) {
  const std::string figure = folder_ / "both.svg";
  const std::vector<float> cat = colorsOf(cat_ + astronaut_ + "-o " + figure, "chelsea");
  EXPECT_THAT(contentOf(figure), HasSubstr("fitted on chelsea, astronaut"));
  EXPECT_EQ(cat, colorsOf(astronaut_ + cat_, "chelsea")) << "whatever their order";
  EXPECT_NE(cat, colorsOf(cat_)) << "alone it has components of its own";
  // Naming both pictures as the basis fits the same components.
  expectNear(cat, colorsOf(cat_ + "--basis " + astronaut_ + "--basis " + cat_));
}

TEST_F(TokensFigure, GivesAPictureTwiceTheSameColours) {
  const std::vector<float> first = colorsOf(cat_ + cat_, "chelsea");
  EXPECT_EQ(first, colorsOf(cat_ + cat_, "chelsea_2"));
  expectNear(first, colorsOf(cat_));
}

TEST_F(TokensFigure, KeepsComponentsOfABasis) {
  EXPECT_EQ(colorsOf(cat_ + "--basis " + cat_), colorsOf(cat_));
  const std::vector<float> drawn = colorsOf(astronaut_ + "--basis " + cat_);
  EXPECT_EQ(drawn, colorsOf(cat_ + astronaut_ + "--basis " + cat_, "astronaut"))
      << "whatever is drawn beside it";
  EXPECT_NE(drawn, colorsOf(astronaut_));
  const std::vector<float> foreground = colorsOf(astronaut_ + "--foreground 50 --basis " + cat_);
  bool hasBackground = false;
  for (std::size_t i = 0; i < drawn.size(); i += 3) {
    const bool isBackground = std::isnan(foreground[i]);
    EXPECT_EQ(isBackground, drawn[i] < 0.5f) << i;
    hasBackground |= isBackground;
  }
  EXPECT_TRUE(hasBackground);
}

TEST_F(TokensFigure, TellsAForegroundByTheQuery) {
  const std::string asked = cat_ + astronaut_ + "--at 0.4,0.4 ";
  const std::string figure = folder_ / "like.svg";
  const std::vector<float> cosines = arraysOf(asked)["astronaut." + name_ + ".similarity"].values;
  const std::vector<float> colors =
      colorsOf(asked + "--foreground 20 --foreground-by query -o " + figure, "astronaut");
  ASSERT_EQ(colors.size(), 3 * cosines.size());
  int background = 0;
  for (std::size_t i = 0; i < cosines.size(); ++i) {
    EXPECT_EQ(std::isnan(colors[3 * i]), cosines[i] < 0.2) << i;
    background += std::isnan(colors[3 * i]) ? 1 : 0;
  }
  EXPECT_GT(background, 0);
  EXPECT_LT(background, 64);
  EXPECT_THAT(contentOf(figure), HasSubstr("at least 0.2 to the token of the query on chelsea"));
  auto twice = arraysOf(cat_ +
                        "--at 0.4,0.4 --at 0.9,0.1 --show components --foreground 20 "
                        "--foreground-by query");
  EXPECT_TRUE(twice.contains(name_ + ".components_2"));
}

TEST_F(TokensFigure, ComparesPatchesWithVectorsOfFiles) {
  // 128 channels; the second vector is the first turned round, the third three times as long.
  FloatArray vectors{{3, 128}, {}};
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < 128; ++i) {
      const auto value = static_cast<float>(std::sin(0.7 * i * i));
      vectors.values.push_back(row == 1 ? -value : row == 2 ? 3 * value : value);
    }
  }
  const std::string file = folder_ / "words.npy";
  const std::string figure = folder_ / "words.svg";
  writeNpy(file, vectors);
  auto arrays = arraysOf(cat_ + "--vector " + file + " -o " + figure);
  ASSERT_EQ(arrays.size(), 3u);
  const std::vector<float>& cosines = arrays[name_ + ".similarity"].values;
  expectNear(cosines, arrays[name_ + ".similarity_3"].values);
  std::vector<float> opposite = arrays[name_ + ".similarity_2"].values;
  for (float& value : opposite) value = -value;
  expectNear(cosines, opposite);
  EXPECT_THAT(contentOf(figure), HasSubstr("each patch's token to row 0 of words.npy, row 1 of"));
  EXPECT_THAT(contentOf(figure), HasSubstr("row 2 of words.npy"));
  auto both = arraysOf(cat_ + astronaut_ + "--vector " + file);
  EXPECT_EQ(both["chelsea." + name_ + ".similarity"].values, cosines);
  EXPECT_NE(both["astronaut." + name_ + ".similarity"].values, cosines);
}

TEST_F(TokensFigure, ComparesClipsPatchesWithTextsBehindItsProjection) {
  const test::UnpackedArchive libraries("libraries.zip");
  const std::string clip = libraries.folder("hf_clip");
  const std::string figure = folder_ / "clip.svg";
  // The feature of a picture lies in the space of texts: 24 numbers, where tokens have more.
  const std::string arguments = "figure tokens -m " + clip + "/model.safetensors --layer all " +
                                cat_ + "--vector " + clip + "/features.npy ";
  const auto arrays = test::writtenArrays(arguments + "-o " + figure);
  EXPECT_EQ(arrays.size(), 2u) << "two blocks";
  EXPECT_THAT(
      contentOf(figure),
      HasSubstr("each patch behind the final norm and projection to row 0 of features.npy"));
  EXPECT_THAT(contentOf(figure), HasSubstr("those behind the last block"));
  const std::string numbers = " --data " + (folder_ / "no.npz");
  expectOneLine(test::softscope(arguments + "--vector-space block" + numbers), 1, "24 numbers");
}

TEST_F(TokensFigure, ReachesToOtherPicturesBySimilarity) {
  auto alone = arraysOf(cat_ + "--at 0.4,0.4");
  auto both = arraysOf(cat_ + astronaut_ + "--at 0.4,0.4");
  EXPECT_EQ(both["chelsea." + name_ + ".similarity"].values, alone[name_ + ".similarity"].values);
  auto twice = arraysOf(cat_ + cat_ + "--at 0.4,0.4");
  EXPECT_EQ(twice["chelsea_2." + name_ + ".similarity"].values,
            alone[name_ + ".similarity"].values);
  EXPECT_NE(both["astronaut." + name_ + ".similarity"].values, alone[name_ + ".similarity"].values);
}

TEST_F(TokensFigure, JoinsMutualNearestNeighbours) {
  const std::string table = folder_ / "matches.csv";
  const std::string figure = folder_ / "matches.svg";
  const std::string options = "--show matches -o " + figure + " --data " + table;
  const Outcome outcome = test::softscope(tokensModel + cat_ + astronaut_ + options);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(contentOf(figure), HasSubstr("mutual nearest neighbours"));
  std::istringstream lines(contentOf(table));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "model,layer,picture,row,column,other,other_row,other_column,cosine,mutual");
  int patches = 0;
  while (std::getline(lines, line)) {
    EXPECT_TRUE(line.starts_with("sima_xcit_everyday10,blocks.3.attn,chelsea,")) << line;
    ++patches;
  }
  EXPECT_EQ(patches, 64) << "8 x 8";

  ASSERT_EQ(test::softscope(tokensModel + cat_ + astronaut_ +
                            "--matches query --query 1,2 --query 3,0 " + options)
                .exitCode,
            0);
  EXPECT_THAT(contentOf(table), HasSubstr("chelsea,1,2,astronaut,"));
  EXPECT_THAT(contentOf(table), HasSubstr("chelsea,3,0,astronaut,"));
}

TEST_F(TokensFigure, SaysWhatItCannotDo) {
  const std::string numbers = " --data " + (folder_ / "no.npz");
  const std::string table = " --data " + (folder_ / "no.csv");
  expectOneLine(test::softscope(tokensModel + cat_ + "--show matches" + table), 2, "second");
  expectOneLine(test::softscope(tokensModel + cat_ + astronaut_ + "--show matches" + numbers), 2,
                ".csv");
  expectOneLine(test::softscope(tokensModel + cat_ + "--basis " + astronaut_ + numbers), 2,
                "--show components");
  expectOneLine(test::softscope(tokensModel + cat_ + "--show components --basis " +
                                (folder_ / "none.png") + numbers),
                1, "none.png");
  expectOneLine(
      test::softscope(tokensModel + cat_ + "--show components --foreground-by patch" + numbers), 2,
      "none of component or query");
  const std::string vector = folder_ / "v.npy";
  writeNpy(vector, {{3}, {1, 2, 3}});
  expectOneLine(test::softscope(tokensModel + cat_ + "--vector " + vector + numbers), 1,
                "3 numbers, but the tokens of blocks.3.attn");
  expectOneLine(test::softscope(tokensModel + cat_ + "--show norms --vector " + vector + numbers),
                2, "--show similarity");
  expectOneLine(test::softscope(tokensModel + cat_ + "--vector-space block" + numbers), 2,
                "--vector FILE");
  expectOneLine(test::softscope(tokensModel + cat_ + "--vector " + cat_ + numbers), 1,
                "is not a .npy file");
  expectOneLine(
      test::softscope(tokensModel + cat_ + "--vector " + (folder_ / "none.npy") + numbers), 1,
      "none.npy");
  const Outcome whole =
      test::softscope(tokensModel + cat_ + "--show components --foreground-by query" + numbers);
  EXPECT_EQ(whole.exitCode, 0);
  EXPECT_THAT(whole.errors, HasSubstr("--foreground 60"));
  const Outcome passed =
      test::softscope(tokensModel + cat_ + astronaut_ + "--show matches --at 0.1,0.1" + table);
  EXPECT_EQ(passed.exitCode, 0);
  EXPECT_THAT(passed.errors, HasSubstr("--matches query"));
}

TEST_F(TokensFigure, NotesQueriesThatNothingIsAskedOf) {
  for (const std::string show : {"norms", "components"}) {
    const Outcome outcome = test::softscope(tokensModel + cat_ + "--show " + show +
                                            " --at 0.5,0.5 --data " + (folder_ / "tokens.npz"));
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_THAT(outcome.errors, HasSubstr("--at is passed over: "));
  }
  expectOneLine(test::softscope(tokensModel + cat_ + "--show norms --mark zzz -o " +
                                (folder_ / "tokens.svg")),
                2, "--mark is LETTER:COLOUR");
}

TEST_F(TokensFigure, NamesABasisAsThePictureThatIsDrawn) {
  const std::string other = folder_ / "chelsea.jpg";
  std::filesystem::copy_file(boxedTokens + "pictures/astronaut.jpg", other);
  const std::string figure = folder_ / "basis.svg";
  colorsOf(cat_ + other + " --basis " + other + " -o " + figure, "chelsea");
  EXPECT_THAT(contentOf(figure), HasSubstr("fitted on chelsea_2"));
}

TEST_F(TokensFigure, NotesOptionsOfOtherQuantities) {
  const auto noted = [&](const std::string& options) {
    const Outcome outcome =
        test::softscope(tokensModel + cat_ + options + " --data " + (folder_ / "tokens.npz"));
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    return outcome.errors;
  };
  EXPECT_THAT(noted("--foreground 40"),
              HasSubstr("--foreground is passed over: it needs --show components"));
  const std::string norms = noted("--show norms --foreground-by query --lines 3 --matches query");
  EXPECT_THAT(norms, HasSubstr("--foreground-by is passed over: it needs --show components"));
  EXPECT_THAT(norms, HasSubstr("--lines is passed over: it needs --show matches"));
  EXPECT_THAT(norms, HasSubstr("--matches is passed over: it needs --show matches"));
  EXPECT_THAT(noted("--outliers 3"), HasSubstr("--outliers is passed over: it needs --show norms"));
  EXPECT_EQ(noted("--show norms --outliers 3"), "");
  EXPECT_EQ(noted("--show components --foreground 40"), "");
}

}  // namespace
}  // namespace softscope
