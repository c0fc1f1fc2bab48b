#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "models/ConvertCheckpoint.h"
#include "models/OpenModel.h"
#include "models/identify/ConfigurationFile.h"
#include "models/identify/ResolvedSetting.h"
#include "tests/models/identify/ExtendedCheckpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace softscope {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* goldenDeit = "golden/deit/checkpoint.pth";

/// What openModel() says against it; empty where it opens.
std::string complaint(const ModelRequest& request) {
  try {
    openModel(request);
    return {};
  } catch (const ModelError& error) {
    return error.what();
  }
}

std::vector<int> openedHeads(const ModelRequest& request) {
  return openModel(request)->summary().heads;
}

TEST(ConfigurationFile, DecidesWhereNothingInTheFileTellsTheHeads) {
  const ExtendedCheckpoint file(goldenDeit, {});
  EXPECT_THAT(openedHeads(file.request()), ElementsAre(2));
  for (const char* text :
       {R"({"num_attention_heads": 4, "hidden_size": 128})", R"({"num_heads": 4})",
        R"({"num_features": 128, "model_args": {"num_heads": 4}})"}) {
    SCOPED_TRACE(text);
    file.writeBeside("config.json", text);
    EXPECT_THAT(openedHeads(file.request()), ElementsAre(4));
    const ModelSummary summary = identifyModel(file.request());
    EXPECT_EQ(summary.headsConfidence, 1);
    EXPECT_THAT(summary.reason, HasSubstr("config.json beside the file says 4 heads"));
    EXPECT_FALSE(summary.counterfactual);
  }
}

TEST(ConfigurationFile, HeadsThatTheUserGivesAreStronger) {
  const ExtendedCheckpoint file(goldenDeit, {});
  file.writeBeside("config.json", R"({"num_attention_heads": 4, "hidden_size": 128})");
  ModelRequest request = file.request();
  request.heads = 8;
  EXPECT_THAT(openedHeads(request), ElementsAre(8));
  EXPECT_TRUE(openModel(request)->summary().counterfactual) << "it was trained with four";
}

TEST(ConfigurationFile, OfAnotherWidthIsOfAnotherFile) {
  const ExtendedCheckpoint file(goldenDeit, {});
  for (const char* text : {R"({"num_attention_heads": 4, "hidden_size": 768})",
                           R"({"num_heads": [1, 3, 4], "embed_dim": [64, 192, 384]})",
                           R"({"model_args": {"num_heads": 4, "embed_dim": 192}})"}) {
    file.writeBeside("config.json", text);
    EXPECT_THAT(openedHeads(file.request()), ElementsAre(2)) << text;
  }
}

TEST(ConfigurationFile, ThatCannotBeReadSaysNothing) {
  const ExtendedCheckpoint file(goldenDeit, {});
  for (const std::string text :
       {"", "no json", "[4]", "4", "{", R"({"num_heads": "four"})", R"({"num_heads": -4})",
        R"({"num_heads": 0})", R"({"num_heads": 4.5})", R"({"num_heads": 99999999999})",
        R"({"num_heads": []})", R"({"num_heads": {}})", R"({"model_args": 4})"}) {
    file.writeBeside("config.json", text);
    EXPECT_THAT(openedHeads(file.request()), ElementsAre(2)) << text;
  }
  file.writeBeside("config.json", std::string(2 << 20, ' ') + R"({"num_heads": 4})");
  EXPECT_THAT(openedHeads(file.request()), ElementsAre(2)) << "no configuration is that long";
  std::filesystem::remove(file.beside("config.json"));
  std::filesystem::create_directory(file.beside("config.json"));
  EXPECT_THAT(openedHeads(file.request()), ElementsAre(2));
}

TEST(ConfigurationFile, SaysTheHeadsOfEachStage) {
  const ExtendedCheckpoint cvt("golden/cvt/checkpoint.pth", {});
  cvt.writeBeside("config.json", R"({"num_heads": [2, 4, 4], "embed_dim": [64, 128, 128]})");
  EXPECT_THAT(openedHeads(cvt.request()), ElementsAre(2, 4, 4));
  const ExtendedCheckpoint t2t("golden/t2t_performer/checkpoint.pth", {});
  t2t.writeBeside("config.json", R"({"num_heads": 4, "embed_dim": 128})");
  EXPECT_THAT(openedHeads(t2t.request()), ElementsAre(1, 1, 4));
  const ExtendedCheckpoint soft("golden/soft/checkpoint.pth", {});
  soft.writeBeside("config.json", R"({"num_heads": [2, 2, 3, 8]})");
  EXPECT_THAT(openedHeads(soft.request()), ElementsAre(2, 2, 3, 8)) << "weights tell all but one";
  const ExtendedCheckpoint sima("golden/sima/checkpoint.pth", {});
  sima.writeBeside("config.json", R"({"num_heads": 8})");
  EXPECT_THAT(openedHeads(sima.request()), ElementsAre(8));
}

/// A checkpoint, a configuration that contradicts it, and what both say.
struct Contradiction {
  const char* checkpoint;
  const char* configuration;
  const char* opened;
  const char* said;
  int right;  ///< as `--heads`

  friend void PrintTo(const Contradiction& contradiction, std::ostream* stream) {
    *stream << contradiction.checkpoint << ' ' << contradiction.configuration;
  }
};

class ContradictionTest : public ::testing::TestWithParam<Contradiction> {};

TEST_P(ContradictionTest, IsRefusedNamingBothUntilTheUserDecides) {
  const auto& [checkpoint, configuration, opened, said, right] = GetParam();
  const ExtendedCheckpoint file(checkpoint, {});
  file.writeBeside("config.json", configuration);
  EXPECT_THAT(complaint(file.request()),
              AllOf(HasSubstr(std::string("heads ") + opened + ", "),
                    HasSubstr(std::string("config.json beside it says ") + said + "; "),
                    HasSubstr("--heads")));
  EXPECT_THAT(identifyModel(file.request()).reason,
              HasSubstr(std::string("config.json beside the file says heads ") + said));
  ModelRequest request = file.request();
  request.heads = right;
  EXPECT_EQ(complaint(request), "");
}

INSTANTIATE_TEST_SUITE_P(
    Files, ContradictionTest,
    ::testing::Values(
        Contradiction{goldenDeit, R"({"num_heads": 5})", "2", "5", 2},
        Contradiction{"golden/xcit/checkpoint.pth", R"({"num_heads": 8})", "4", "8", 4},
        Contradiction{"golden/soft/checkpoint.pth", R"({"num_heads": [2, 2, 6, 4]})", "2,2,3,4",
                      "2,2,6,4", 4},
        Contradiction{"golden/cvt/checkpoint.pth", R"({"num_heads": [1, 3, 2]})", "1,2,2", "1,3,2",
                      2},
        Contradiction{"sima_xcit_everyday10.safetensors", R"({"num_heads": 8})", "4", "8", 4},
        Contradiction{"softmax_everyday10.safetensors", R"({"num_heads": [1, 2, 4, 10]})",
                      "1,2,4,5", "1,2,4,10", 5}));

TEST(ConfigurationFile, IsWrittenIntoWhatIsConverted) {
  const ExtendedCheckpoint file("golden/cvt/checkpoint.pth", {});
  file.writeBeside("config.json", R"({"num_heads": [2, 4, 4]})");
  const std::string folder = file.beside("elsewhere");
  std::filesystem::create_directory(folder);
  ModelRequest converted;
  converted.path = folder + "/converted.safetensors";
  convertCheckpoint(file.request().path, converted.path, {});
  EXPECT_THAT(openedHeads(converted), ElementsAre(2, 4, 4));
}

TEST(ConfigurationFile, DescribesThePartOfThePicturesAlone) {
  const ExtendedCheckpoint file(goldenDeit, {});
  file.writeBeside("config.json", R"({"model_type": "clip", "hidden_size": 32,
      "num_attention_heads": 1, "text_config": {"num_attention_heads": 16},
      "vision_config": {"hidden_size": 128, "num_attention_heads": 4, "hidden_act": "gelu"}})");
  const ConfigurationFile said = readConfigurationFile(file.request().path);
  EXPECT_THAT(said.heads, ElementsAre(4));
  EXPECT_THAT(said.channels, ElementsAre(128));
  EXPECT_EQ(said.activation, "gelu");
  EXPECT_EQ(said.epsilon, 1e-5);
}

TEST(ConfigurationFile, FillsInWhatHuggingFaceLeavesOutOfAVisionConfig) {
  const ExtendedCheckpoint file(goldenDeit, {});
  file.writeBeside("config.json", R"({"model_type": "siglip", "vision_config": {}})");
  const ConfigurationFile siglip = readConfigurationFile(file.request().path);
  EXPECT_THAT(siglip.heads, ElementsAre(12));
  EXPECT_THAT(siglip.channels, ElementsAre(768));
  EXPECT_EQ(siglip.activation, "gelu_pytorch_tanh");
  EXPECT_EQ(siglip.epsilon, 1e-6);
  file.writeBeside("config.json", R"({"model_type": "clip", "vision_config": {}})");
  EXPECT_EQ(readConfigurationFile(file.request().path).activation, "quick_gelu");
}

TEST(ConfigurationFile, MayBeOpenClips) {
  const ExtendedCheckpoint file(goldenDeit, {});
  file.writeBeside("open_clip_config.json", R"({"model_cfg": {"quick_gelu": true,
      "vision_cfg": {"width": 128, "head_width": 32, "image_size": 64}},
      "preprocess_cfg": {"mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5],
      "interpolation": "bilinear", "resize_mode": "squash"}})");
  const ConfigurationFile said = readConfigurationFile(file.request().path);
  EXPECT_EQ(said.fileName, "open_clip_config.json");
  EXPECT_THAT(said.heads, ElementsAre(4));
  EXPECT_EQ(said.activation, "quick_gelu");
  EXPECT_THAT(openedHeads(file.request()), ElementsAre(4));
  EXPECT_THAT(identifyModel(file.request()).setting("heads")->source,
              HasSubstr("open_clip_config.json"));
  const ModelSummary summary = identifyModel(file.request());
  EXPECT_EQ(summary.transform.extent, InputTransform::Extent::SqueezedCrop);
  EXPECT_EQ(summary.transform.filter, InputTransform::Filter::Bilinear);
  EXPECT_EQ(summary.transform.height, 64);
  EXPECT_EQ(summary.transform.cropFraction, 1);
  EXPECT_EQ(summary.setting("mean")->value, "half");
  EXPECT_EQ(summary.setting("mean")->source, "from open_clip_config.json");
}

TEST(ConfigurationFile, SaysPlainValuesOfTheNetworkForPicturesAlone) {
  const ExtendedCheckpoint file(goldenDeit, {});
  const std::string path = file.request().path;
  file.writeBeside("config.json", R"({"eps": 0.5, "rope_theta": 500, "text_config":
      {"layer_norm_eps": 0.25, "num_heads": 16}, "vision_config": {"layer_norm_eps": 0.001}})");
  const ConfigurationFile ofPictures = readConfigurationFile(path);
  EXPECT_EQ(ofPictures.values, (std::map<std::string, std::string>{{"layer_norm_eps", "0.001"}}));
  EXPECT_EQ(ofPictures.rotaryBase, std::nullopt) << "the texts'";
  file.writeBeside("config.json", R"({"image_size": 28, "decoder": {"num_heads": 2},
      "optimizer": {"eps": 1e-8}, "model": {"num_heads": 4, "image_size": 32}})");
  EXPECT_EQ(readConfigurationFile(path).values,
            (std::map<std::string, std::string>{{"image_size", "28"}, {"num_heads", "4"}}));
  file.writeBeside("config.json", R"({"args": {"num_heads": 6, "eps": 1e-8}})");
  EXPECT_EQ(readConfigurationFile(path).values,
            (std::map<std::string, std::string>{{"num_heads", "6"}}))
      << "of the training and of the network together";
}

TEST(ResolvedSetting, TakesAnEpsilonOnlyFromMetadataThatSoftscopeWrote) {
  const SettingKnowledge known{.option = "epsilon",
                               .usual = "1e-06",
                               .reason = "as published",
                               .choices = {"1e-06", "1e-05"}};
  ModelHints hints;
  hints.metadata = {{"epsilon", "1e-05"}};
  EXPECT_EQ(resolveSetting(known, hints).value, "1e-06");
  EXPECT_EQ(resolveSetting(known, hints).source, "assumed");
  hints.metadata["weights"] = "raw";
  EXPECT_EQ(resolveSetting(known, hints).value, "1e-05");
}

}  // namespace
}  // namespace softscope
