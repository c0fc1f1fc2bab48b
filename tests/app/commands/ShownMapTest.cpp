#include "core/array/Npy.h"
#include "core/array/Npz.h"
#include "tests/app/commands/Run.h"
#include "tests/models/UnpackedArchive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

namespace softscope {
namespace {

using test::contentOf;
using test::data;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string shownSoft = "-m " + data("golden/soft/checkpoint.pth") + " ";
const std::string shownTensor = data("golden/soft/input.npy") + " ";
const std::string simaInput =
    "-m " + data("golden/sima/checkpoint.pth") + " " + data("golden/sima/input.npy") + " ";
const std::string resourceFolder = std::string(SOFTSCOPE_SOURCE) + "/resources/";
const std::string shownChelsea = resourceFolder + "pictures/chelsea.png ";

const FloatArray& arrayNamed(const NamedArrays& arrays, const std::string& name) {
  return std::find_if(arrays.begin(), arrays.end(), [&](const auto& a) { return a.first == name; })
      ->second;
}

TEST(ShownMapCommand, DumpWritesTheMapBesideTheAttention) {
  const TemporaryFolder folder;
  const std::string start = "dump " + shownSoft + shownTensor + "--rows 0,5,12 --layers ";
  for (const char* map : {"convolution", "effective"}) {
    const Outcome outcome =
        test::softscope(start + "'block[24].*' -o " + (folder / map) + " --map " + map);
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_EQ(outcome.errorLines(), 1) << "of the last stage";
    EXPECT_THAT(outcome.errors, AllOf(HasSubstr("block4.0.attn"),
                                      HasSubstr("no convolution of V stands beside softmax")));
    EXPECT_FALSE(std::filesystem::exists(folder / map + "/block4_0_attn." + map + ".npy"));
    const auto layers = nlohmann::json::parse(contentOf(folder / map + "/layers.json"));
    EXPECT_EQ(layers[0].at("file"), "block2_0_att_mha_attn.npy");
    EXPECT_EQ(layers[0].at(map), std::string("block2_0_att_mha_attn.") + map + ".npy");
    EXPECT_TRUE(layers.back().at(map).is_null());
  }
  const std::string stem = "/block2_0_att_mha_attn";
  const FloatArray attention = readNpy(folder / "effective" + stem + ".npy");
  const FloatArray convolution = readNpy(folder / "convolution" + stem + ".convolution.npy");
  const FloatArray effective = readNpy(folder / "effective" + stem + ".effective.npy");
  EXPECT_THAT(effective.shape, ElementsAre(2, 3, 192));
  ASSERT_EQ(effective.shape, convolution.shape);
  ASSERT_EQ(effective.shape, attention.shape);
  double filters = 0;
  for (std::size_t i = 0; i < effective.values.size(); ++i) {
    filters += std::abs(double(convolution.values[i]));
    ASSERT_FLOAT_EQ(effective.values[i], attention.values[i] + convolution.values[i]) << i;
  }
  EXPECT_GT(filters, 0);
}

TEST(ShownMapCommand, ADumpOfAttentionIsAsItWas) {
  const TemporaryFolder folder;
  const std::string start =
      "dump " + shownSoft + shownTensor + "--rows 0,5 --layers 'block1.*' -o ";
  ASSERT_EQ(test::softscope(start + (folder / "before")).exitCode, 0);
  ASSERT_EQ(test::softscope(start + (folder / "after") + " --map attention").exitCode, 0);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "after")) {
    const std::string name = "/" + entry.path().filename().string();
    EXPECT_TRUE(contentOf(folder / "before" + name) == contentOf(folder / "after" + name)) << name;
    ++files;
  }
  EXPECT_EQ(files, 7) << "logits, layers, rows, two norms, A and its inverse";
}

TEST(ShownMapCommand, EveryKindShowsItAndSaysSo) {
  const TemporaryFolder folder;
  const std::string layer = "--layer block2.0.att.mha.attn ";
  for (const char* kind : {"heads", "compare", "matrix", "spectrum"}) {
    SCOPED_TRACE(kind);
    const std::string start = std::string("figure ") + kind + " " + shownSoft + shownTensor + layer;
    const auto draw = [&](const std::string& name, const std::string& option) {
      const std::string file = folder / (std::string(kind) + name + ".svg");
      const Outcome outcome = test::softscope(start + option + " -o " + file);
      EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
      EXPECT_EQ(outcome.errors, "");
      return contentOf(file);
    };
    const std::string before = draw("_before", "");
    EXPECT_TRUE(before == draw("_attention", "--map attention"));
    EXPECT_THAT(before, Not(HasSubstr("convolution")));
    EXPECT_THAT(draw("_effective", "--map effective"),
                HasSubstr("effective map (attention + convolution)"));
    EXPECT_THAT(draw("_convolution", "--map convolution"),
                AllOf(HasSubstr("convolution"), Not(HasSubstr("effective"))));
  }
}

TEST(ShownMapCommand, NumbersAreThoseOfTheMap) {
  const TemporaryFolder folder;
  const std::string start = "figure heads " + shownSoft + shownTensor +
                            "--layer block2.0.att.mha.attn --query 0,0 --head 1 --data ";
  for (const char* map : {"attention", "convolution", "effective"}) {
    ASSERT_EQ(test::softscope(start + (folder / map) + ".npz --map " + map).exitCode, 0);
  }
  const std::string name = "block2_0_att_mha_attn.row_0_0.head_1";
  const auto valuesOf = [&](const char* map) {
    return arrayNamed(readNpz(folder / map + ".npz"), name).values;
  };
  const std::vector<float> attention = valuesOf("attention");
  const std::vector<float> convolution = valuesOf("convolution");
  const std::vector<float> effective = valuesOf("effective");
  ASSERT_EQ(effective.size(), 192u);
  for (std::size_t i = 0; i < effective.size(); ++i) {
    ASSERT_FLOAT_EQ(effective[i], attention[i] + convolution[i]);
  }
  const auto reached =
      std::count_if(convolution.begin(), convolution.end(), [](float value) { return value != 0; });
  EXPECT_GT(reached, 0);
  EXPECT_LT(reached, 40) << "a corner's filter";
}

/// What NumPy can take the spectrum of: exp(-|q - k|^2 / (2 sqrt(d))) of the authors' queries.
TEST(ShownMapCommand, TheExactKernelIsThatOfTheNetworkAsItWasTrained) {
  const TemporaryFolder folder;
  const Outcome outcome =
      test::softscope("dump " + shownSoft + shownTensor +
                      "--layers 'block[14].*' --map kernel -o " + (folder / "dump"));
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors,
              HasSubstr("block4.0.attn: no landmarks stand for an exact kernel in softmax"));
  const FloatArray kernel = readNpy(folder / "dump/block1_0_att_mha_attn.kernel.npy");
  const FloatArray query = readNpy(data("golden/soft/block1_0_att_mha_attn.q.npy"));
  ASSERT_THAT(kernel.shape, ElementsAre(2, 768, 768));
  const auto width = static_cast<std::size_t>(query.shape[2]);
  for (std::size_t i = 0; i < 768; i += 97) {
    for (std::size_t j = 0; j < 768; ++j) {
      double distance = 0;
      for (std::size_t c = 0; c < width; ++c) {
        const auto at = [&](std::size_t token) {
          return double(query.values[(768 + token) * width + c]);
        };
        distance += std::pow(at(i) - at(j), 2);
      }
      EXPECT_NEAR(kernel.values[(768 + i) * 768 + j],
                  std::exp(-distance / (2 * std::sqrt(double(width)))), 1e-4);
    }
  }
  for (const char* kind : {"heads", "compare", "matrix", "spectrum"}) {
    const std::string file = folder / (std::string(kind) + ".svg");
    const Outcome drawn =
        test::softscope(std::string("figure ") + kind + " " + shownSoft + shownTensor +
                        "--layer block2.0.att.mha.attn --map kernel -o " + file);
    EXPECT_EQ(drawn.exitCode, 0) << drawn.errors;
    EXPECT_THAT(contentOf(file), HasSubstr("exact kernel that landmarks")) << kind;
  }
}

TEST(ShownMapCommand, LayersWithoutAConvolutionAreLeftOut) {
  const TemporaryFolder folder;
  for (const char* kind : {"heads", "matrix", "spectrum"}) {
    SCOPED_TRACE(kind);
    const std::string file = folder / (std::string(kind) + ".svg");
    const Outcome outcome = test::softscope(
        std::string("figure ") + kind + " " + shownSoft + shownTensor +
        "--layer block3.0.att.mha.attn --layer block4.0.attn --map effective -o " + file);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
    EXPECT_THAT(outcome.errors, AllOf(HasSubstr("block4.0.attn"),
                                      HasSubstr("no convolution of V stands beside softmax")));
    EXPECT_THAT(contentOf(file), Not(HasSubstr("block4.0.attn")));
  }
}

TEST(ShownMapCommand, AModelWithoutOneIsComparedByItsAttention) {
  const TemporaryFolder folder;
  const std::string models = "-m " + resourceFolder +
                             "checkpoints/soft_everyday10.safetensors -m " + resourceFolder +
                             "checkpoints/softmax_everyday10.safetensors ";
  const std::string file = folder / "compare.svg";
  const Outcome outcome =
      test::softscope("figure compare " + models + shownChelsea +
                      "--layer block1.0.att.mha.attn --map effective -o " + file);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("softmax_everyday10 shows its attention"));
  EXPECT_THAT(contentOf(file), AllOf(HasSubstr(">SOFT, effective map (attention +<"),
                                     HasSubstr("softmax \302\267 ")));
}

TEST(ShownMapCommand, IsRefusedInOneLineWhereThereIsNone) {
  const TemporaryFolder folder;
  const std::string output = " -o " + (folder / "none");
  for (const std::string& start :
       {"figure heads " + simaInput + output + ".svg",
        "figure compare " + simaInput + output + ".svg",
        "figure matrix " + simaInput + output + ".svg",
        "figure spectrum " + simaInput + output + ".svg", "dump " + simaInput + output}) {
    for (const char* map : {"convolution", "effective"}) {
      const Outcome outcome = test::softscope(start + " --map " + map);
      EXPECT_EQ(outcome.exitCode, 1) << start;
      EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
      EXPECT_THAT(outcome.errors, HasSubstr("no convolution of V stands beside sima attention"));
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(folder / "none").parent_path()));
  EXPECT_THAT(test::softscope("figure matrix " + simaInput + output + ".svg --map kernel").errors,
              HasSubstr("no landmarks stand for an exact kernel in sima attention"));
  const std::string spectrum = "figure spectrum " + shownSoft + shownTensor + output + ".svg ";
  EXPECT_EQ(test::softscope(spectrum + "--of bottleneck --map effective").exitCode, 2);
  EXPECT_EQ(test::softscope(spectrum + "--map both").exitCode, 2);
}

// The sum of row i of A ∘ (G V^T) is G_i times the head's answer, so that all rows of a layer tell
// how y changes to first order as that layer's answers grow; a class's rows are not another's.
TEST(ShownMapCommand, TheProductWithAGradientIsThatOfTheClass) {
  const TemporaryFolder folder;
  const std::string checkpoint =
      "-m " + resourceFolder + "checkpoints/sima_xcit_everyday10.safetensors " + shownChelsea;
  const std::string layer = "--layer blocks.3.attn --at 0.375,0.385 ";
  const auto numbers = [&](const std::string& name, const std::string& options) {
    const std::string file = folder / name + ".npz";
    const Outcome outcome = test::softscope("figure heads " + checkpoint + layer + options +
                                            " -o " + (folder / name) + ".svg --data " + file);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_EQ(outcome.errors, "");
    return readNpz(file).front().second.values;
  };
  const std::vector<float> cat = numbers("cat", "--map gradient --class cat");
  const std::vector<float> predicted = numbers("predicted", "--map gradient");
  EXPECT_EQ(predicted, cat) << "which is what the network sees";
  const std::vector<float> dog = numbers("dog", "--map gradient --class dog");
  const std::vector<float> less = numbers("less", "--map gradient --class cat --class dog");
  ASSERT_EQ(less.size(), cat.size());
  EXPECT_NE(cat, dog);
  float most = 0;
  for (const float value : cat) most = std::max(most, std::abs(value));
  for (std::size_t i = 0; i < less.size(); ++i) {
    ASSERT_NEAR(less[i], cat[i] - dog[i], 1e-5 * most) << "gradients add up";
  }
  EXPECT_THAT(contentOf(folder / "less.svg"), HasSubstr("gradient of cat less dog"));
}

TEST(ShownMapCommand, TheProductWithAGradientIsDrawnByEveryKindAndDumped) {
  const TemporaryFolder folder;
  for (const char* kind : {"heads", "compare", "matrix", "spectrum"}) {
    const std::string file = folder / (std::string(kind) + ".svg");
    const Outcome drawn =
        test::softscope(std::string("figure ") + kind + " " + shownSoft + shownTensor +
                        "--layer block2.0.att.mha.attn --map gradient --class 2 -o " + file);
    EXPECT_EQ(drawn.exitCode, 0) << drawn.errors;
    EXPECT_THAT(contentOf(file), HasSubstr("gradient of class 2")) << kind;
  }
  const Outcome dumped =
      test::softscope("dump " + shownSoft + shownTensor +
                      "--layers 'block1.*' --map gradient --class 2 -o " + (folder / "dump"));
  ASSERT_EQ(dumped.exitCode, 0) << dumped.errors;
  EXPECT_THAT(readNpy(folder / "dump/block1_0_att_mha_attn.gradient.npy").shape,
              ElementsAre(2, 768, 768));
}

TEST(ShownMapCommand, AClassThatCannotBeDifferentiatedIsRefusedInOneLine) {
  const TemporaryFolder folder;
  const std::string output = " -o " + (folder / "none.svg");
  const std::string start = "figure heads " + shownSoft + shownTensor + output;
  const auto refused = [&](const std::string& command, int exitCode, const std::string& words) {
    const Outcome outcome = test::softscope(command);
    EXPECT_EQ(outcome.exitCode, exitCode) << command;
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
    EXPECT_THAT(outcome.errors, HasSubstr(words));
  };
  refused(start + " --class 2", 2, "--map gradient");
  refused(start + " --map effective --class 2", 2, "--map gradient");
  refused(start + " --map gradient --class 1 --class 2 --class 3", 2, "at most twice");
  refused(start + " --map gradient --class 100000", 1, "100000");
  refused(start + " --map gradient --class unicorn", 1, "unicorn");
  const test::UnpackedArchive libraries("libraries.zip");
  const std::string backbone = libraries.folder("fb_dinov3");
  refused("figure heads -m " + backbone + "/checkpoint.pth " + backbone + "/input.npy " +
              "--map gradient" + output,
          1, "no head");
  EXPECT_FALSE(std::filesystem::exists(folder / "none.svg"));
}

}  // namespace
}  // namespace softscope
