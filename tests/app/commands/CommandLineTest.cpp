#include "core/array/Npy.h"
#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using test::contentOf;
using test::data;
using test::expectOneLine;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string checkpoint = data("golden/soft/checkpoint.pth");
const std::string input = data("golden/soft/input.npy");

TEST(CommandLine, HelpTeachesEverySubcommand) {
  const Outcome help = test::softscope("--help");
  EXPECT_EQ(help.exitCode, 0);
  for (const char* name : {"inspect", "dump", "convert"}) {
    EXPECT_THAT(help.output, HasSubstr(name));
    const Outcome subcommand = test::softscope(std::string(name) + " --help");
    EXPECT_EQ(subcommand.exitCode, 0);
    EXPECT_THAT(subcommand.output, HasSubstr("Example"));
  }
}

TEST(CommandLine, WhatCannotBeMeantExitsWith2) {
  expectOneLine(test::softscope("inspect"), 2, "CKPT");
  expectOneLine(test::softscope("inspect a.pth --no-such-option"), 2, "no-such-option");
  expectOneLine(test::softscope("dump " + input + " -o /tmp/x"), 2, "--model");
  expectOneLine(test::softscope("inspect " + checkpoint + " --weights both"), 2, "both");
  expectOneLine(test::softscope("convert " + checkpoint + " -o /tmp/x.safetensors --set novalue"),
                2, "KEY=VALUE");
  expectOneLine(test::softscope("dump -m " + checkpoint + " " + input + " -o /tmp/x --rows a"), 2,
                "--rows");
}

TEST(CommandLine, AMisspeltSubcommandIsNoPicture) {
  expectOneLine(test::softscope("fgure heads -m " + checkpoint), 2,
                "did you mean softscope figure?");
  expectOneLine(test::softscope("fgure"), 2, "neither a subcommand nor a file");
  expectOneLine(test::softscope("isnpect"), 2, "did you mean softscope inspect?");
  expectOneLine(test::softscope("unrelated"), 2, "softscope --help tells what there is");
}

TEST(CommandLine, AWrongOptionIsToldAsItWasTyped) {
  expectOneLine(test::softscope("figure heads --opacty 1"), 2, "did you mean --opacity?");
  expectOneLine(test::softscope("figure heads --seed -1"), 2, "--seed: takes a number from 0 on");
  expectOneLine(test::softscope("figure heads --seed 99999999999999999999"), 2,
                "--seed takes a whole number, not '99999999999999999999'");
  expectOneLine(test::softscope("survey --limit 1e2 folder"), 2,
                "--limit takes a whole number, not '1e2' (softscope survey --help");
  expectOneLine(test::softscope("train --flip maybe"), 2, "--flip does not take 'maybe'");
  expectOneLine(test::softscope("figure heads --wide=3"), 2,
                "(softscope figure --help tells what there is)");
  expectOneLine(test::softscope("figure hedas"), 2, "KIND: 'hedas' is none of heads, page");
  expectOneLine(test::softscope("figure hedas"), 2, "; did you mean heads? (softscope figure");
}

TEST(CommandLine, ATokenThatNoLayerHasIsNamed) {
  TemporaryFolder folder;
  const std::string figure = "figure heads -m " + checkpoint + " " + input + " -o " +
                             (folder / "heads.png") + " --layer block3.0 --at 0.5,0.5";
  const std::string without = "in layers without this token, the patch at that place answers";
  EXPECT_THAT(test::softscope(figure + ",token7").errors, testing::HasSubstr(without));
  EXPECT_THAT(test::softscope(figure).errors, testing::Not(testing::HasSubstr(without)));
}

TEST(CommandLine, ALayerIsNamedByItsBeginning) {
  const std::string dump = "dump -m " + checkpoint + " " + input + " -o ";
  TemporaryFolder folder;
  const Outcome outcome = test::softscope(dump + (folder / "dump") + " --layers block3.0");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  const auto layers = nlohmann::json::parse(contentOf(folder / "dump/layers.json"));
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(layers[0].at("name"), "block3.0.att.mha.attn");
  expectOneLine(test::softscope(dump + (folder / "none") + " --layers lock3.0"), 1,
                "there is no layer lock3.0");
}

TEST(CommandLine, WhatWouldBeIgnoredIsRefused) {
#ifdef SOFTSCOPE_HAS_GUI
  const std::string why = "--threads stands before the subcommand";
#else
  const std::string why = "not expected: --threads 2";
#endif
  expectOneLine(test::softscope("--threads 2 inspect " + checkpoint), 2, why);
  TemporaryFolder folder;
  expectOneLine(test::softscope("dump -m " + checkpoint + " -m " + checkpoint + " " + input +
                                " -o " + (folder / "dump")),
                2, "--model");
}

TEST(CommandLine, InspectPrintsTheContractsKeys) {
  const Outcome outcome = test::softscope("inspect " + checkpoint + " --json");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  const auto json = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(json.at("family"), "soft");
  EXPECT_EQ(json.at("variant"), "custom");
  EXPECT_EQ(json.at("mechanism"), "soft");
  EXPECT_EQ(json.at("alternatives"), (nlohmann::json{"soft", "soft++", "gaussian"}));
  EXPECT_EQ(json.at("heads"), (nlohmann::json{2, 2, 3, 4}));
  EXPECT_EQ(json.at("heads_alternatives").front(), 4) << "shapes tell all but the last stage's";
  EXPECT_EQ(json.at("heads_source"), "assumed");
  EXPECT_EQ(json.at("classes"), 10);
  EXPECT_EQ(json.at("layers").size(), 5u);
  for (const char* key :
       {"confidence", "reason", "parameters", "input_size", "weights", "missing", "unexpected"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
}

TEST(CommandLine, EveryBundledModelKnowsWhatItIs) {
  int models = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(SOFTSCOPE_SOURCE "/resources/checkpoints")) {
    if (file.path().extension() != ".safetensors") continue;
    ++models;
    const std::string path = file.path().string();
    const Outcome outcome = test::softscope("inspect --json " + path);
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    const auto json = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(json["confidence"], 1.0) << path << " opens without a question";
    EXPECT_EQ(json["classes"], 10) << path;
    EXPECT_TRUE(json["missing"].empty() && json["unexpected"].empty()) << path;
    EXPECT_LT(file.file_size(), 5'000'000U) << path;
    const std::string content = contentOf(path);
    for (const char* entry : {"accuracy", "licence", "dataset", "classes", "provenance"}) {
      EXPECT_NE(content.find("\"" + std::string(entry) + "\":"), std::string::npos)
          << path << " lacks " << entry;
    }
  }
  EXPECT_GE(models, 3);
}

TEST(CommandLine, AttentionSwitchesTheMechanism) {
  const Outcome outcome =
      test::softscope("inspect --attention soft_norm " + checkpoint + " --json");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_EQ(nlohmann::json::parse(outcome.output).at("mechanism"), "soft++");
  expectOneLine(test::softscope("inspect --attention sima " + checkpoint), 1, "soft++");
}

TEST(CommandLine, ActivationSwitchesWhatWeightsDoNotTell) {
  const std::string sima = data("golden/sima/checkpoint.pth");
  const Outcome outcome = test::softscope("inspect --activation relu " + sima + " --json");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  const auto activationOf = [](const Outcome& inspected) {
    return nlohmann::json::parse(inspected.output).at("activation").at("value");
  };
  EXPECT_EQ(activationOf(outcome), "relu");
  EXPECT_EQ(activationOf(test::softscope("inspect --json " + sima)), "gelu");
  const auto asked = nlohmann::json::parse(outcome.output).at("heads_alternatives");
  EXPECT_EQ(asked.front(), nlohmann::json::parse(outcome.output).at("heads").front());
  EXPECT_GT(asked.size(), 1u);
  const Outcome soft = test::softscope("inspect --json " + checkpoint);
  EXPECT_TRUE(activationOf(soft).is_null());
  const Outcome deit =
      test::softscope("inspect --json --activation relu " + data("golden/deit/checkpoint.pth"));
  EXPECT_EQ(activationOf(deit), "relu");
  expectOneLine(test::softscope("inspect --activation relu " + checkpoint), 1, "leave out");
  expectOneLine(test::softscope("inspect --activation tanh " + sima), 2, "tanh");

  const TemporaryFolder folder;
  const std::string pictures = data("golden/sima/input.npy") + " -o " + (folder / "dump");
  ASSERT_EQ(test::softscope("dump --activation relu -m " + sima + " " + pictures).exitCode, 0);
  // Of the authors' code, its GELUs made ReLUs.
  EXPECT_NEAR(readNpy(folder / "dump/logits.npy").values[0], 0.822576f, 2e-4);
}

TEST(CommandLine, DumpWritesTheContractsFiles) {
  const TemporaryFolder folder;
  const std::string out = folder / "dump";
  const Outcome outcome = test::softscope("dump -m " + checkpoint + " " + input + " -o " + out +
                                          " --rows 0,767 --layers 'block1.*'");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(readNpy(out + "/logits.npy").shape, ElementsAre(10));
  EXPECT_THAT(readNpy(out + "/block1_0_att_mha_attn.npy").shape, ElementsAre(2, 2, 768));
  EXPECT_THAT(readNpy(out + "/block1_0_att_mha_attn.q_l1.npy").shape, ElementsAre(2, 768));
  EXPECT_THAT(readNpy(out + "/block1_0_att_mha_attn.k_l1.npy").shape, ElementsAre(2, 768));
  EXPECT_THAT(readNpy(out + "/block1_0_att_mha_attn.A.npy").shape, ElementsAre(2, 12, 12));
  EXPECT_THAT(readNpy(out + "/block1_0_att_mha_attn.A_inv.npy").shape, ElementsAre(2, 12, 12));
  const auto layers = nlohmann::json::parse(test::contentOf(out + "/layers.json"));
  ASSERT_EQ(layers.size(), 1u);
  const auto& layer = layers[0];
  EXPECT_EQ(layer.at("index"), 0);
  EXPECT_EQ(layer.at("name"), "block1.0.att.mha.attn");
  EXPECT_EQ(layer.at("mechanism"), "soft");
  EXPECT_EQ(layer.at("heads"), 2);
  EXPECT_EQ(layer.at("queries"), 768);
  EXPECT_EQ(layer.at("keys"), 768);
  EXPECT_EQ(layer.at("query_grid"), (nlohmann::json{24, 32}));
  EXPECT_EQ(layer.at("prefix_tokens"), 0);
  EXPECT_EQ(layer.at("landmarks"), 12);
  EXPECT_EQ(layer.at("landmark_grid"), (nlohmann::json{3, 4}));
  EXPECT_EQ(layer.at("rows"), (nlohmann::json{0, 767}));
  EXPECT_EQ(layer.at("file"), "block1_0_att_mha_attn.npy");
}

TEST(CommandLine, DumpWritesNothingWhereALayerLacksARow) {
  const TemporaryFolder folder;
  const std::string out = folder / "dump";
  const Outcome outcome =
      test::softscope("dump -m " + checkpoint + " " + input + " -o " + out + " --rows 0,767");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("block2.0.att.mha.attn: row 767 is outside 0 to 191"));
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(CommandLine, DumpedValuesAreTheOfficialOnes) {
  const TemporaryFolder folder;
  const std::string out = folder / "dump";
  ASSERT_EQ(test::softscope("dump -m " + checkpoint + " " + input + " -o " + out).exitCode, 0);
  for (const char* file : {"logits.npy", "block2_1_att_mha_attn.npy", "block4_0_attn.npy",
                           "block3_0_att_mha_attn.A.npy"}) {
    const FloatArray actual = readNpy(out + "/" + file);
    const FloatArray expected = readNpy(data("golden/soft/") + file);
    ASSERT_EQ(actual.values.size(), expected.values.size()) << file;
    float largest = 0;
    for (const float value : expected.values) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < actual.values.size(); ++i) {
      ASSERT_NEAR(actual.values[i], expected.values[i], 1e-4 * largest) << file << " at " << i;
    }
  }
}

TEST(CommandLine, ConvertedCheckpointsSayWhatTheyAre) {
  const TemporaryFolder folder;
  const std::string file = folder / "soft.safetensors";
  ASSERT_EQ(test::softscope("convert " + checkpoint + " -o " + file +
                            " --set mechanism=soft++ --set input_size=160 --half")
                .exitCode,
            0);
  const Outcome outcome = test::softscope("inspect --json " + file);
  const auto json = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(json.at("mechanism"), "soft++");
  for (const nlohmann::json& guessed : json.at("undetermined")) {
    EXPECT_NE(guessed.at("option"), "attention");
  }
  EXPECT_EQ(json.at("input_size"), 160);
}

TEST(CommandLine, ADeviceThatIsNotThereIsNamedWithWhatIs) {
  const Outcome outcome =
      test::softscope("dump -m " + checkpoint + " " + input + " -o /tmp/x --device cuda:99");
  expectOneLine(outcome, 1, "cuda:99");
  EXPECT_THAT(outcome.errors, HasSubstr("found: cpu"));
  expectOneLine(test::softscope("dump -m " + checkpoint + " " + input + " -o /tmp/x --device tpu"),
                2, "tpu");
}

TEST(CommandLine, ConvertTakesOneValueForOneThing) {
  const TemporaryFolder folder;
  const std::string file = folder / "soft.safetensors";
  const auto refused = [&](const std::string& options, const std::string& phrase) {
    expectOneLine(test::softscope("convert " + checkpoint + " -o " + file + " " + options), 2,
                  phrase);
  };
  refused("--set heads=4 --heads 8", "--set heads=4 and --heads 8 contradict each other");
  refused("--set mechanism=soft++ --attention soft", "--set mechanism=soft++ and --attention soft");
  refused("--set weights=raw --weights ema", "--set weights=raw and --weights ema");
  refused("--set input_size=160 --set input_size=192", "--set input_size was given as 160 and as");
  EXPECT_EQ(contentOf(file), "");
  EXPECT_EQ(test::softscope("convert " + checkpoint + " -o " + file +
                            " --set mechanism=soft++ --attention soft++")
                .exitCode,
            0);
}

TEST(CommandLine, EndingsAndWordsThatCannotBeExitWith2) {
  const std::string dump = "dump -m " + checkpoint + " " + input + " -o /tmp/x ";
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"record -m " + checkpoint + " " + input + " -o /tmp/x.txt", ".npz or .safetensors"},
      {"convert " + checkpoint + " -o /tmp/x.txt", "ends in .safetensors"},
      {"figure heads -m " + checkpoint + " " + input + " --data /tmp/x.txt", ".npz"},
      {"convert " + checkpoint + " -o /tmp/x.safetensors --norm between",
       "pre, pre-normed, pre-normed-mlp, post or none"},
      {dump + "--norm between",
       "--norm: takes pre, pre-normed, pre-normed-mlp, post or none, not \"between\""},
      {dump + "--device cuda:", "--device: takes cpu, cuda or cuda:N, not \"cuda:\""}};
  for (const auto& [command, phrase] : wrong) {
    SCOPED_TRACE(command);
    expectOneLine(test::softscope(command), 2, phrase);
  }
}

TEST(CommandLine, NumbersAreDecimal) {
  const TemporaryFolder folder;
  const std::string dump =
      "dump -m " + checkpoint + " " + input + " --layers block1.0 --rows 0 -o " + (folder / "d");
  const std::string random = " --landmarks random --landmark-count ";
  const auto landmarks = [&](const std::string& count) {
    const Outcome outcome = test::softscope(dump + random + count);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    return outcome.exitCode == 0
               ? nlohmann::json::parse(contentOf(folder / "d/layers.json"))[0]["landmarks"]
               : nlohmann::json();
  };
  EXPECT_EQ(landmarks("010"), 10);
  EXPECT_EQ(landmarks("08"), 8);
  for (const std::string option : {"--landmark-count", "--landmark-seed", "--threads", "--page"}) {
    SCOPED_TRACE(option);
    const std::string given = dump + " --landmarks random " + option;
    expectOneLine(test::softscope(given + " 0x10"), 2, "not \"0x10\"");
    expectOneLine(test::softscope(given + " nan"), 2, "not \"nan\"");
  }
}

TEST(CommandLine, AValueOfAnOptionIsNamedByAPhrase) {
  const std::string dump = "dump -m " + checkpoint + " " + input + " -o /tmp/x ";
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"--epsilon nan", "--epsilon: takes a number from 0 to below 1, not \"nan\""},
      {"--padding 65", "--padding: takes a whole number from 0 to 64, not \"65\""},
      {"--stride x", "--stride: takes a whole number from 1 to 1024 or two of them, HxW, not"},
      {"--landmark-count nan", "--landmark-count: takes a number from 0 on, not \"nan\""}};
  for (const auto& [options, phrase] : wrong) {
    expectOneLine(test::softscope(dump + options), 2, phrase);
  }
}

TEST(CommandLine, ValuesThatAreMissingOrTooManyAreNamedInWords) {
  const std::string dump = "dump -m " + checkpoint + " " + input + " -o /tmp/x ";
  expectOneLine(test::softscope(dump + "--page 1 --page 2"), 2,
                "--page takes one value, and was given 2; give one");
  expectOneLine(test::softscope(dump + "--layers="), 2, "--layers needs a value");
  expectOneLine(test::softscope(dump + "--exif maybe"), 2, "--exif is on or off, not \"maybe\"");
  expectOneLine(test::softscope(dump + "--page " + std::string(100000, 'a')), 2, "--page");
}

TEST(CommandLine, AnEmptyWordIsRefused) {
  expectOneLine(test::softscope("inspect ''"), 2, "one of the arguments is empty");
  for (const std::string option : {"-m", "--layers", "--size"}) {
    expectOneLine(
        test::softscope("dump -m " + checkpoint + " " + input + " -o /tmp/x " + option + " ''"), 2,
        "the value of " + option + " is empty");
  }
}

TEST(CommandLine, ConvertKeepsTheDeviationThatAMeansNameSays) {
  const TemporaryFolder folder;
  const std::string file = folder / "deit.safetensors";
  for (const std::string option : {"--mean half", "--set mean=half"}) {
    const Outcome outcome = test::softscope("convert " + data("golden/deit/checkpoint.pth") +
                                            " -o " + file + " " + option);
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_THAT(contentOf(file), HasSubstr("\"std\":\"half\"")) << option;
    std::filesystem::remove(file);
  }
}

TEST(CommandLine, AnUnknownOptionIsNamedBeforeWhatBecameOfItsValue) {
  expectOneLine(test::softscope("inspect " + checkpoint + " --layer x"), 2,
                "not expected: --layer");
  expectOneLine(test::softscope("inspect --layer"), 2, "not expected: --layer");
  expectOneLine(test::softscope("settings " + checkpoint + " folder --layr x"), 2,
                "not expected: --layr x (");
}

}  // namespace
}  // namespace softscope
