#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/network/Inspector.h"
#include "models/ConvertCheckpoint.h"
#include "models/OpenModel.h"
#include "models/identify/ConfigurationFile.h"
#include "models/identify/ResolvedSetting.h"
#include "tests/core/ErrorMessage.h"
#include "tests/models/Golden.h"
#include "tests/models/identify/ExtendedCheckpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace softscope {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* goldenDeit = "golden/deit/checkpoint.pth";

/// What openModel() says against it; empty where it opens.
std::string complaint(const ModelRequest& request) {
  return test::messageOf<ModelError>([&] { openModel(request); });
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

TEST(ConfigurationFile, ThatIsPassedOverIsNamed) {
  const ExtendedCheckpoint file(goldenDeit, {});
  const auto passedOver = [&] { return identifyModel(file.request()).passedOver; };
  file.writeBeside("config.json", R"({"hidden_size": 128})");
  EXPECT_THAT(passedOver(), ElementsAre());
  for (const std::string text : {"", "[4]", "null", "{", "{} // mine", "{\"x\": \"\xe9\"}",
                                 "{\"x\": Infinity, \"num_heads\": 4}"}) {
    file.writeBeside("config.json", text);
    EXPECT_THAT(passedOver(), ElementsAre(HasSubstr("config.json is no JSON object"))) << text;
    EXPECT_THAT(identifyModel(file.request()).reason, HasSubstr("config.json is no JSON object"));
  }
  file.writeBeside("config.json", std::string(2 << 20, ' ') + "{}");
  EXPECT_THAT(passedOver(), ElementsAre(HasSubstr("longer than a megabyte")));
  file.writeBeside("config.json", R"({"num_heads": 4, "hidden_size": 768})");
  EXPECT_THAT(passedOver(), ElementsAre(HasSubstr("768 channels, and this one has 128")));
  std::filesystem::remove(file.beside("config.json"));
  EXPECT_THAT(passedOver(), ElementsAre());
  file.writeBeside("preprocessor_config.json", "{");
  EXPECT_THAT(passedOver(), ElementsAre(HasSubstr("preprocessor_config.json is no JSON")));
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
                    HasSubstr(std::string("config.json beside the file says heads ") + said + "; "),
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

TEST(ConfigurationFile, DescribesTheNetworkForPicturesOfALargerNetwork) {
  const ExtendedCheckpoint file(goldenDeit, {});
  for (const char* part : {"backbone_config", "encoder", "image_config"}) {
    SCOPED_TRACE(part);
    file.writeBeside("config.json", std::string(R"({"model_type": "dpt", "hidden_size": 768,
        "num_attention_heads": 12, "hidden_act": "gelu", "layer_norm_eps": 1e-12, ")") +
                                        part + R"(": {"model_type": "dinov2", "hidden_size": 128,
        "num_attention_heads": 4, "hidden_act": "relu", "layer_norm_eps": 1e-2}})");
    const ConfigurationFile said = readConfigurationFile(file.request().path);
    EXPECT_THAT(said.heads, ElementsAre(4));
    EXPECT_THAT(said.channels, ElementsAre(128));
    EXPECT_EQ(said.activation, "relu");
    EXPECT_EQ(said.epsilon, 1e-2);
    EXPECT_EQ(said.modelType, "dinov2");
  }
  for (const char* text : {R"({"num_attention_heads": 2, "encoder": {"num_attention_heads": 4}})",
                           R"({"num_attention_heads": 2, "backbone_config": null})",
                           R"({"num_attention_heads": 2, "is_hybrid": true,
            "backbone_config": {"model_type": "bit", "num_attention_heads": 4}})"}) {
    file.writeBeside("config.json", text);
    EXPECT_THAT(readConfigurationFile(file.request().path).heads, ElementsAre(2)) << text;
  }
}

TEST(ConfigurationFile, FillsInWhatIsLeftOutByTheTypeOfThePart) {
  const ExtendedCheckpoint file(goldenDeit, {});
  file.writeBeside("config.json", R"({"model_type": "llava", "vision_config":
      {"model_type": "clip_vision_model", "hidden_size": 1024, "num_attention_heads": 16}})");
  const ConfigurationFile said = readConfigurationFile(file.request().path);
  EXPECT_EQ(said.activation, "quick_gelu");
  EXPECT_EQ(said.epsilon, 1e-5);
  EXPECT_THAT(said.heads, ElementsAre(16));
}

/// A checkpoint of a library's names, the type of a network with more behind them, and its own.
struct Typed {
  const char* checkpoint;
  const char* family;
  const char* other;
  const char* own;

  friend void PrintTo(const Typed& typed, std::ostream* stream) { *stream << typed.other; }
};

class ModelTypeTest : public ::testing::TestWithParam<Typed> {};

TEST_P(ModelTypeTest, OfNoNetworkOfTheFamilyIsRefusedUntilTheUserDecides) {
  const auto& [checkpoint, family, other, own] = GetParam();
  const ExtendedCheckpoint file(checkpoint, {});
  const auto write = [&](const std::string& type) {
    file.writeBeside("config.json", R"({"model_type": ")" + type + R"("})");
  };
  for (const std::string type : {other, "somebodys_own"}) {
    write(type);
    EXPECT_THAT(complaint(file.request()), AllOf(HasSubstr("model_type '" + type + "'"),
                                                 HasSubstr(std::string("--arch ") + family)));
  }
  ModelRequest request = file.request();
  request.architecture = family;
  EXPECT_EQ(complaint(request), "");
  for (const std::string type : {own, "timm_wrapper"}) {
    write(type);
    EXPECT_EQ(complaint(file.request()), "") << type;
  }
  file.writeBeside("config.json", R"({"model_type": "somebodys_own", "hidden_size": 7})");
  EXPECT_EQ(complaint(file.request()), "") << "of a file of another width";
}

INSTANTIATE_TEST_SUITE_P(
    Types, ModelTypeTest,
    ::testing::Values(
        Typed{"golden/hub/hf_dinov2/model.safetensors", "dinov2", "rf_detr_dinov2", "dinov2"},
        Typed{"golden/libraries/hf_siglip_vision/model.safetensors", "siglip",
              "paddleocr_vl_vision", "siglip_vision_model"},
        Typed{"golden/libraries/hf_clip_vision/model.safetensors", "clip", "mlcd_vision_model",
              "kosmos_2_vision_model"},
        Typed{"golden/hub/hf_vit/model.safetensors", "vit", "yolos", "vit_msn"},
        Typed{"golden/windows/hf_swin/model.safetensors", "swin", "swin2sr", "swin"}));

/// A golden checkpoint at a path beside which there is no config.json, with each tensor as `change`
/// makes it.
Checkpoint changedCheckpoint(const std::string& golden, const std::string& path,
                             const std::function<void(std::string&, torch::Tensor&)>& change) {
  Checkpoint checkpoint = readCheckpoint(goldenPath(golden));
  checkpoint.path = path;
  return withTensors(std::move(checkpoint), change);
}

TEST(ConfigurationFile, AllowsOtherPartsBesideANetworkForPictures) {
  const ExtendedCheckpoint file(goldenDeit, {});
  const std::string inside = "vision_model.";
  const auto within = [&](std::string& name, torch::Tensor&) {
    name.replace(0, inside.size(), "vision_tower.");
  };
  for (const std::string network : {"siglip", "clip"}) {
    SCOPED_TRACE(network);
    Checkpoint checkpoint = changedCheckpoint(
        "libraries/hf_" + network + "_vision/model.safetensors", file.request().path, within);
    checkpoint.state.insert("connector.weight", torch::zeros({8, 8}));
    std::filesystem::remove(file.beside("config.json"));
    EXPECT_THAT(identifyModel(checkpoint).beside, ElementsAre("connector.weight"));
    file.writeBeside("config.json", R"({"model_type": "llava", "vision_config": {"model_type": ")" +
                                        network + R"(_vision_model", "hidden_size": )" +
                                        (network == "clip" ? "64" : "48") + "}}");
    const ModelSummary summary = identifyModel(checkpoint);
    EXPECT_EQ(summary.family, network);
    EXPECT_TRUE(summary.foreign.empty());
    EXPECT_THAT(summary.beside, ElementsAre("connector.weight"));
    checkpoint.state.insert("vision_tower.encoder.layers.0.gate.weight", torch::zeros({8}));
    EXPECT_EQ(identifyModel(checkpoint).foreign.size(), 1u) << "it is of the network itself";
  }
}

TEST(ConfigurationFile, ALanguageModelBesideTellsThatTheTowerIsWhole) {
  Checkpoint checkpoint =
      changedCheckpoint("libraries/hf_clip_vision/model.safetensors", "absent/model.safetensors",
                        [](std::string& name, torch::Tensor&) { name = "vision_tower." + name; });
  checkpoint.state.insert("language_model.model.embed_tokens.weight", torch::zeros({50, 8}));
  checkpoint.state.insert("multi_modal_projector.linear_1.weight", torch::zeros({8, 8}));
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_EQ(summary.family, "clip");
  EXPECT_TRUE(summary.foreign.empty());
  EXPECT_EQ(summary.beside.size(), 2u);
}

TEST(ConfigurationFile, WholeAltClipsOpenUnderTheirNames) {
  const Checkpoint checkpoint =
      changedCheckpoint("libraries/hf_clip_vision/model.safetensors", "absent/model.safetensors",
                        [](std::string& name, torch::Tensor&) {
                          const std::string list = "encoder.layers.";
                          const std::size_t at = name.find(list);
                          if (at != std::string::npos)
                            name.replace(at, list.size(), "encoder.layer.");
                        });
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_EQ(summary.family, "clip");
  EXPECT_TRUE(summary.missing.empty());
  EXPECT_TRUE(summary.foreign.empty());
}

TEST(ConfigurationFile, TypesThatPlacePatchesByTheirShareTakeTheTrainedSizeAlone) {
  const ExtendedCheckpoint file("golden/libraries/hf_siglip_vision/model.safetensors", {});
  EXPECT_EQ(identifyModel(file.request()).setting("img_size"), nullptr);
  for (const char* type : {"idefics2_vision", "idefics3_vision", "smolvlm_vision"}) {
    file.writeBeside("config.json", std::string(R"({"model_type": ")") + type + R"("})");
    const auto model = openModel(file.request());
    EXPECT_EQ(model->summary().setting("img_size")->value, "32,32") << type;
    EXPECT_NO_THROW(inspect(*model, evenInput(32, 32)));
    EXPECT_THAT(test::messageOf<InspectionError>([&] { inspect(*model, evenInput(48, 48)); }),
                HasSubstr("4 x 4 alone; choose --size 32x32"))
        << type;
  }
  const std::string folder = file.beside("elsewhere");
  std::filesystem::create_directory(folder);
  ModelRequest converted;
  converted.path = folder + "/converted.safetensors";
  convertCheckpoint(file.request().path, converted.path, {});
  EXPECT_THROW(inspect(*openModel(converted), evenInput(48, 48)), InspectionError);
}

TEST(ConfigurationFile, AnIjepaHasNoClassTokenWhateverItsGrid) {
  const Checkpoint checkpoint =
      changedCheckpoint("hub/hf_ijepa/model.safetensors", "absent/model.safetensors",
                        [](std::string& name, torch::Tensor& tensor) {
                          if (name.ends_with("position_embeddings"))
                            tensor = torch::zeros({1, 24, 64});
                        });
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_TRUE(summary.missing.empty());
  EXPECT_EQ(summary.transform.height, 32);
  EXPECT_EQ(summary.transform.width, 48);
}

TEST(ConfigurationFile, FamiliesOpenNetworksForGreyPictures) {
  for (const auto& [golden, family] :
       {std::pair("hub/hf_dinov2", "dinov2"), std::pair("libraries/hf_dinov3", "dinov3"),
        std::pair("hub/hf_vit", "vit"), std::pair("libraries/hf_siglip_vision", "siglip"),
        std::pair("libraries/timm_eva02", "eva"), std::pair("libraries/timm_beit", "beit")}) {
    SCOPED_TRACE(golden);
    const Checkpoint checkpoint =
        changedCheckpoint(std::string(golden) + "/model.safetensors", "absent/model.safetensors",
                          [](std::string&, torch::Tensor& tensor) {
                            if (tensor.dim() == 4) tensor = tensor.sum(1, true);
                          });
    const ModelSummary summary = identifyModel(checkpoint);
    EXPECT_EQ(summary.family, family);
    EXPECT_EQ(summary.transform.channels, 1);
    EXPECT_TRUE(summary.wrongShape.empty());
  }
}

TEST(ConfigurationFile, PatchesOfSeveralFramesAreSaidToBe) {
  const Checkpoint checkpoint =
      changedCheckpoint("hub/hf_vit/model.safetensors", "absent/model.safetensors",
                        [](std::string&, torch::Tensor& tensor) {
                          if (tensor.dim() == 4) tensor = tensor.unsqueeze(2);
                        });
  EXPECT_THAT(test::messageOf<ModelError>([&] { identifyModel(checkpoint); }),
              HasSubstr("of several frames, as in a network for video"));
}

}  // namespace
}  // namespace softscope
