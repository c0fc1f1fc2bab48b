#include "tests/app/commands/Run.h"
#include "tests/models/UnpackedArchive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace softscope {
namespace {

using test::data;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// DeiT's golden checkpoint is of sizes that nobody published, and says nothing of itself.
class UndeterminedTest : public ::testing::Test {
 protected:
  UndeterminedTest() {
    std::filesystem::create_directory(folder_ / "pictures");
    std::filesystem::copy(picture_, folder_ / "pictures/1.png");
  }

  TemporaryFolder folder_;
  const std::string picture_ = std::string(SOFTSCOPE_SOURCE) + "/resources/pictures/chelsea.png";
  const std::string model_ = data("golden/deit/checkpoint.pth");
  const std::string tensor_ = data("golden/deit/input.npy");
  const std::string told_ =
      " --attention softmax --heads 2 --activation gelu --epsilon 1e-6 --norm pre --pooling cls "
      "--prefix-positions 1 --mean imagenet";
};

TEST_F(UndeterminedTest, EveryCommandThatRunsAModelSaysItsGuessesInOneLine) {
  const std::string onPicture = " -m " + model_ + " " + picture_ + " --size 64x96";
  for (const std::string& command :
       {"dump" + onPicture + " -o " + (folder_ / "dump"),
        "record" + onPicture + " -o " + (folder_ / "rec.npz"),
        "figure heads" + onPicture + " --data " + (folder_ / "heads.npz"),
        "figure matrix" + onPicture + " --data " + (folder_ / "m.npz"),
        "survey -m " + model_ + " " + (folder_ / "pictures") + " --size 64x96 -o " +
            (folder_ / "s.survey")}) {
    SCOPED_TRACE(command);
    const Outcome outcome = test::softscope(command);
    std::vector<std::string> lines;
    std::istringstream errors(outcome.guesses);
    for (std::string line; std::getline(errors, line);) {
      if (line.find("does not tell") != std::string::npos) lines.push_back(line);
    }
    ASSERT_EQ(lines.size(), 1u) << outcome.guesses << outcome.errors;
    EXPECT_THAT(
        lines.front(),
        AllOf(HasSubstr(model_), HasSubstr("heads (2)"), HasSubstr("activation (gelu)"),
              HasSubstr("epsilon (1e-06)"), HasSubstr("norm (pre)"), HasSubstr("pooling (cls)"),
              HasSubstr("mean (imagenet)"), HasSubstr("--heads --activation --epsilon")));
    EXPECT_EQ(test::softscope(command + told_).guesses, "");
  }
}

TEST_F(UndeterminedTest, ATensorIsNormalisedAlready) {
  const std::string command = "dump -m " + model_ + " " + tensor_ + " -o " + (folder_ / "dump");
  EXPECT_THAT(test::softscope(command).guesses,
              AllOf(HasSubstr("heads (2)"), Not(HasSubstr("mean"))));
  EXPECT_EQ(test::softscope(command + told_).guesses, "");
}

TEST_F(UndeterminedTest, InspectListsTheChoicesAndTheSources) {
  const auto inspected = [&](const std::string& options) {
    return nlohmann::json::parse(test::softscope("inspect --json " + model_ + options).output);
  };
  const auto json = inspected("");
  EXPECT_LE(json["confidence"], 0.5);
  std::vector<std::string> options;
  for (const auto& entry : json["undetermined"]) {
    options.push_back(entry["option"]);
    EXPECT_EQ(entry["choices"].at(0), entry["value"]);
    EXPECT_GT(entry["choices"].size(), 1u);
    EXPECT_FALSE(entry["why"].get<std::string>().empty());
  }
  EXPECT_THAT(options, ElementsAre("attention", "heads", "activation", "epsilon", "norm", "pooling",
                                   "prefix-positions", "mean", "std"));
  EXPECT_EQ(json["undetermined"][1]["value"], 2);
  EXPECT_EQ(json["epsilon"]["value"], 1e-6);
  for (const char* key : {"activation", "epsilon", "norm", "pooling", "mean", "std"}) {
    EXPECT_EQ(json[key]["source"], "assumed") << key;
  }
  const auto told = inspected(told_);
  EXPECT_TRUE(told["undetermined"].empty());
  EXPECT_EQ(told["confidence"], 1);
  EXPECT_EQ(told["mean"]["source"], "chosen with --mean");
  EXPECT_EQ(told["mean"]["value"].size(), 3u);
  const std::string text = test::softscope("inspect " + model_).output;
  EXPECT_THAT(text, HasSubstr("  epsilon     1e-06, assumed (it may be 1e-05, 1e-12: --epsilon)"));
  EXPECT_THAT(text, HasSubstr("  mean        ImageNet's, assumed"));
}

TEST_F(UndeterminedTest, ASizeThatIsGivenIsAnnouncedByNoCommand) {
  const test::UnpackedArchive archive("structure.zip");
  const std::string model = archive.folder("buffer_long") + "/checkpoint.pth";
  for (const char* of : {"set/val/a", "set/val/b"}) {
    std::filesystem::create_directories(folder_ / of);
    std::filesystem::copy(picture_, folder_ / of);
  }
  const std::string onPicture = " -m " + model + " " + picture_;
  for (const std::string& command :
       {"dump" + onPicture + " -o " + (folder_ / "dump"),
        "record" + onPicture + " -o " + (folder_ / "rec.npz"),
        "figure heads" + onPicture + " --data " + (folder_ / "heads.npz"),
        "survey -m " + model + " " + (folder_ / "pictures") + " --measure entropy -o " +
            (folder_ / "s.survey"),
        "linescores -m " + model + " " + (folder_ / "set")}) {
    SCOPED_TRACE(command);
    const Outcome asked = test::softscope(command);
    EXPECT_EQ(asked.exitCode, 0) << asked.errors;
    EXPECT_THAT(asked.guesses, HasSubstr("size (28x28)"));
    std::filesystem::remove(folder_ / "s.survey");
    const Outcome given = test::softscope(command + " --size 28");
    EXPECT_EQ(given.exitCode, 0) << given.errors;
    EXPECT_THAT(given.guesses, AllOf(HasSubstr("heads (4)"), Not(HasSubstr("size ("))));
  }
}

TEST_F(UndeterminedTest, WhatIsTakenForGrantedIsSaidOfNetworksReadByStructure) {
  const test::UnpackedArchive archive("structure.zip");
  const std::string model = archive.folder("scale_gamma") + "/checkpoint.pth";
  const std::string said = "each block adds what its attention and its mlp make";
  const Outcome dumped =
      test::softscope("dump -m " + model + " " + picture_ + " -o " + (folder_ / "dump"));
  EXPECT_THAT(dumped.guesses, AllOf(HasSubstr("taken for granted: " + said), HasSubstr("mask"),
                                    HasSubstr("docs/guide/checkpoints.md")));
  EXPECT_THAT(test::softscope("inspect " + model).output,
              AllOf(HasSubstr("  taken for granted\n    each block adds"), HasSubstr("mask")));
  const auto json = nlohmann::json::parse(test::softscope("inspect --json " + model).output);
  EXPECT_THAT(json["taken_for_granted"].get<std::string>(), HasSubstr(said));
  const auto other = nlohmann::json::parse(test::softscope("inspect --json " + model_).output);
  EXPECT_EQ(other["taken_for_granted"], "");
}

TEST_F(UndeterminedTest, WhatIsSetIsToldByTheConvertedFile) {
  const std::string converted = folder_ / "told.safetensors";
  const Outcome silent = test::softscope("convert " + model_ + " -o " + converted);
  EXPECT_THAT(silent.errors, AllOf(HasSubstr("--set"), HasSubstr("heads=2")));
  const Outcome outcome = test::softscope(
      "convert " + model_ + " -o " + converted +
      " --set mechanism=softmax --set heads=4 --set activation=relu --set epsilon=1e-5 --set "
      "norm=post --set pooling=mean --set prefix-positions=1 --set pool_include_prefix=false --set "
      "mean=0.5,0.5,0.5 --set std=0.5,0.5,0.5");
  EXPECT_EQ(outcome.errors, "");
  const auto json = nlohmann::json::parse(test::softscope("inspect --json " + converted).output);
  EXPECT_TRUE(json["undetermined"].empty());
  EXPECT_EQ(json["heads"][0], 4);
  EXPECT_EQ(json["norm"]["value"], "post");
  EXPECT_EQ(json["norm"]["source"], "from the file's metadata");
}

TEST_F(UndeterminedTest, ValuesThatCannotBeAreNamed) {
  for (const char* option :
       {"--norm both", "--epsilon two", "--epsilon 2", "--pooling median", "--activation mish",
        "--heads 1,x", "--heads -1", "--mean 1,2", "--std 0"}) {
    const Outcome outcome = test::softscope("inspect " + model_ + " " + option);
    EXPECT_EQ(outcome.exitCode, 2) << option;
  }
  for (const char* entry : {"heads=four", "epsilon=two", "norm=both", "mean=dark"}) {
    const Outcome outcome = test::softscope("convert " + model_ + " -o " +
                                            (folder_ / "out.safetensors") + " --set " + entry);
    EXPECT_EQ(outcome.exitCode, 1) << entry;
    EXPECT_EQ(outcome.errorLines(), 1);
    EXPECT_THAT(outcome.errors, HasSubstr(std::string(entry).substr(0, 4)));
  }
  const Outcome outcome =
      test::softscope("inspect " + data("golden/soft/checkpoint.pth") + " --norm post");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("leave out --norm"));
}

TEST_F(UndeterminedTest, OptionsThatHaveNoOtherValueAreNotAdvised) {
  const test::UnpackedArchive archive("libraries.zip");
  const std::string eva = archive.folder("timm_eva02");
  std::filesystem::copy(eva + "/model.safetensors", folder_ / "eva.safetensors");
  const Outcome outcome = test::softscope("dump -m " + (folder_ / "eva.safetensors") + " " + eva +
                                          "/input.npy -o " + (folder_ / "dump"));
  EXPECT_THAT(outcome.guesses,
              AllOf(HasSubstr("norm (pre)"), HasSubstr("use_rot_pos_emb (true)"),
                    Not(HasSubstr("--norm")), Not(HasSubstr("--use_rot_pos_emb"))));
}

}  // namespace
}  // namespace softscope
