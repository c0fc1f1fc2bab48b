#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/Safetensors.h"
#include "models/OpenModel.h"
#include "models/identify/ConfigurationFile.h"
#include "tests/core/ErrorMessage.h"
#include "tests/models/Golden.h"
#include "tests/models/identify/ExtendedCheckpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Names and values beside a checkpoint that are there and say nothing Softscope understands.
TEST(UnderstoodValues, OthersAreNamedAndNotTakenForAbsentOnes) {
  const ExtendedCheckpoint file("golden/hub/hf_vit/model.safetensors", {});
  for (const auto& [key, value] : {std::pair("num_attention_heads", R"("8")"),
                                   {"num_attention_heads", "8.0"},
                                   {"num_attention_heads", "0"},
                                   {"num_attention_heads", "-2"},
                                   {"num_attention_heads", "true"},
                                   {"layer_norm_eps", R"("1e-3")"},
                                   {"layer_norm_eps", "1.0"},
                                   {"layer_norm_eps", "-0.5"},
                                   {"hidden_act", "5"},
                                   {"hidden_act", R"({"class_name":"relu"})"},
                                   {"hidden_size", "128.0"},
                                   {"image_size", "[16.0,64.0]"},
                                   {"global_pool", "true"}}) {
    file.writeBeside("config.json", "{\"" + std::string(key) + "\": " + value + "}");
    const ModelSummary summary = identifyModel(file.request());
    EXPECT_THAT(summary.passedOver, ElementsAre(AllOf(HasSubstr(key), HasSubstr(value))));
    EXPECT_THAT(summary.reason, HasSubstr(key));
  }
  for (
      const char* text :
      {R"({"num_attention_heads": null, "layer_norm_eps": null, "hidden_act": null})",
       R"({"image_size": {"height": 32, "width": 32}, "hidden_act": ""})",
       R"({"num_attention_heads": 2, "layer_norm_eps": 0, "hidden_act": "gelu", "image_size": 32})"}) {
    file.writeBeside("config.json", text);
    EXPECT_THAT(identifyModel(file.request()).passedOver, IsEmpty()) << text;
  }
  file.writeBeside("config.json", R"({"hidden_size": 64, "layer_norm_eps": 7})");
  EXPECT_THAT(identifyModel(file.request()).passedOver, ElementsAre(HasSubstr("64 channels")));
}

TEST(UnderstoodValues, TruthsOfPreprocessorsMayBeNumbers) {
  const ExtendedCheckpoint file("golden/hub/hf_vit/model.safetensors", {});
  const auto summaryWith = [&](const std::string& key, const std::string& value) {
    file.writeBeside("preprocessor_config.json",
                     "{\"image_mean\": 0.25, \"image_std\": 0.5, \"" + key + "\": " + value + "}");
    return identifyModel(file.request());
  };
  EXPECT_EQ(summaryWith("do_normalize", "0").transform.mean[0], 0);
  EXPECT_EQ(summaryWith("do_normalize", "1").transform.mean[0], 0.25F);
  EXPECT_EQ(summaryWith("do_rescale", "0.0").transform.mean[0],
            summaryWith("do_rescale", "false").transform.mean[0]);
  EXPECT_THAT(summaryWith("do_resize", "0").preparationDoubts,
              ElementsAre(HasSubstr("leaves pictures at their own size")));
  for (const char* key : {"do_normalize", "do_rescale", "do_resize", "do_center_crop"}) {
    for (const char* value : {R"("no")", "[]", "2"}) {
      EXPECT_THAT(summaryWith(key, value).preparationDoubts,
                  ElementsAre(HasSubstr("gives " + std::string(key) + " as " + value)));
    }
  }
}

TEST(UnderstoodValues, TruthsOfOpenClipMayBeNumbers) {
  const ExtendedCheckpoint file("golden/hub/hf_vit/model.safetensors", {});
  const auto saidWith = [&](const std::string& quick) {
    file.writeBeside("open_clip_config.json", "{\"model_cfg\": {\"quick_gelu\": " + quick +
                                                  ", \"vision_cfg\": {\"width\": 128}}}");
    return readConfigurationFile(file.request().path);
  };
  std::filesystem::remove(file.beside("config.json"));
  EXPECT_EQ(saidWith("1").activation, "quick_gelu");
  EXPECT_EQ(saidWith("0").activation, "gelu");
  EXPECT_THAT(saidWith("1").notUnderstood, IsEmpty());
  EXPECT_THAT(saidWith(R"("yes")").notUnderstood,
              ElementsAre(HasSubstr(R"(says quick_gelu "yes", which is neither true nor false)")));
}

TEST(UnderstoodValues, OfTimmsPreparationAreNamed) {
  const ExtendedCheckpoint file("golden/hub/hf_vit/model.safetensors", {});
  for (const auto& [key, value] : {std::pair("crop_pct", R"("0.9")"),
                                   {"crop_pct", "0"},
                                   {"interpolation", "3"},
                                   {"interpolation", R"("sinc")"},
                                   {"input_size", "32"},
                                   {"mean", R"("half")"},
                                   {"std", "[1,2]"},
                                   {"crop_mode", R"("corner")"}}) {
    file.writeBeside("config.json",
                     "{\"pretrained_cfg\": {\"" + std::string(key) + "\": " + value + "}}");
    EXPECT_THAT(readConfigurationFile(file.request().path).transform.notComputed,
                ElementsAre(AllOf(HasSubstr(key), HasSubstr(value))));
  }
}

TEST(UnderstoodValues, OfTheFilesOwnMetadataAreNamed) {
  const ExtendedCheckpoint file("golden/hub/hf_vit/model.safetensors", {});
  const StateDict state = readCheckpoint(file.request().path).state;
  const auto passedOverWith = [&](const std::string& key, const std::string& value) {
    writeSafetensors(file.request().path, state, {{key, value}, {"weights", "raw"}});
    return identifyModel(file.request()).passedOver;
  };
  for (const auto& [key, value] : {std::pair("heads", "2.0"),
                                   {"heads", "2abc"},
                                   {"epsilon", "nan"},
                                   {"activation", "swish2"},
                                   {"mean", "nan,0,0"},
                                   {"std", "0,0,0"},
                                   {"input_size", "0"},
                                   {"crop", "5"},
                                   {"filter", "sinc"},
                                   {"classes", R"(["cat"])"}}) {
    EXPECT_THAT(passedOverWith(key, value),
                ElementsAre(HasSubstr("metadata says " + std::string(key) + " '" + value + "'")));
  }
  for (const auto& [key, value] : {std::pair("heads", "2"),
                                   {"epsilon", "1e-6"},
                                   {"activation", "gelu"},
                                   {"mean", "half"},
                                   {"input_size", "32"},
                                   {"crop", "0.9"},
                                   {"filter", "bicubic"},
                                   {"classes", "1000"}}) {
    EXPECT_THAT(passedOverWith(key, value), IsEmpty()) << key;
  }
}

TEST(UnderstoodValues, ARotaryBaseIsAnyNumberAbove0) {
  const ExtendedCheckpoint file("golden/hub/hf_vit/model.safetensors", {});
  const auto baseIn = [&](const char* text) {
    file.writeBeside("config.json", text);
    return readConfigurationFile(file.request().path).rotaryBase;
  };
  EXPECT_EQ(baseIn(R"({"rope_theta": 0.5})"), 0.5);
  EXPECT_EQ(baseIn(R"({"rope_parameters": {"rope_theta": 1.0}})"), 1.0);
  EXPECT_EQ(baseIn(R"({"rope_theta": -1})"), std::nullopt);
}

TEST(SwinConfigurationFile, WithTheFirstStagesWidthAloneIsBelievedForPicturesToo) {
  const ExtendedCheckpoint file("golden/windows/hf_swin/model.safetensors", {});
  file.writeBeside("preprocessor_config.json",
                   R"({"size": 48, "image_mean": 0.25, "image_std": 0.5})");
  const auto summaryWith = [&](const std::string& words) {
    file.writeBeside("config.json", R"({"num_heads": [2, 4], "image_size": 24)" + words + "}");
    return identifyModel(file.request());
  };
  for (const char* width : {R"(, "hidden_size": 48)", R"(, "embed_dim": 24)"}) {
    const ModelSummary summary = summaryWith(width);
    EXPECT_EQ(summary.transform.mean[0], 0.25F) << width;
    EXPECT_EQ(summary.transform.height, 48) << width;
    EXPECT_EQ(summary.setting("mean")->source, "from preprocessor_config.json") << width;
    EXPECT_THAT(summary.passedOver, IsEmpty()) << width;
  }
  EXPECT_THAT(summaryWith(R"(, "embed_dim": 25)").passedOver,
              ElementsAre(HasSubstr("a network of 25 channels")));
  file.writeBeside("config.json", R"({"embed_dim": 24, "model_type": "other-swin"})");
  EXPECT_THAT(test::messageOf<ModelError>([&] { openModel(file.request()); }),
              HasSubstr("other-swin"));
}

TEST(Quantisation, IsNamedAndItsWholeNumbersAreNoWeights) {
  const Checkpoint whole = readCheckpoint(goldenPath("hub/hf_vit/model.safetensors"));
  const auto complaintOf = [](const Checkpoint& checkpoint) {
    return test::messageOf<ModelError>([&] { identifyModel(checkpoint); });
  };
  EXPECT_EQ(complaintOf(whole), "");
  const Checkpoint integers = withTensors(whole, [](std::string& name, torch::Tensor& tensor) {
    if (name.ends_with("query.weight")) tensor = tensor.to(torch::kChar);
  });
  EXPECT_THAT(complaintOf(integers), AllOf(HasSubstr("quantised"), HasSubstr("query.weight")));
  Checkpoint scaled = whole;
  scaled.state.insert("vit.encoder.layer.0.attention.attention.query.SCB", torch::ones({128}));
  EXPECT_THAT(complaintOf(scaled), AllOf(HasSubstr("quantised"), HasSubstr("query.SCB")));

  const ExtendedCheckpoint file("golden/hub/hf_vit/model.safetensors", {});
  file.writeBeside("config.json", R"({"quantization_config": {"quant_method": "quanto"}})");
  EXPECT_THAT(identifyModel(file.request()).missing, IsEmpty()) << "it was dequantised";
  writeSafetensors(file.request().path, integers.state, {});
  EXPECT_THAT(test::messageOf<ModelError>([&] { identifyModel(file.request()); }),
              HasSubstr("'quanto' in config.json"));
}

TEST(CvtStages, MayDifferInTheirBiases) {
  std::vector<std::string> biases;
  const Checkpoint whole = readCheckpoint(goldenPath("cvt/checkpoint.pth"));
  for (const auto& entry : whole.state.entries()) {
    const bool isProjected = entry.name.find(".attn.proj_") != std::string::npos;
    if (entry.name.starts_with("stage0.") && isProjected && entry.name.ends_with(".bias")) {
      biases.push_back(entry.name);
    }
  }
  ASSERT_EQ(biases.size() % 3, 0U);
  ASSERT_FALSE(biases.empty());
  const ExtendedCheckpoint file("golden/cvt/checkpoint.pth", {}, biases);
  EXPECT_THAT(openModel(file.request())->summary().missing, IsEmpty());
}

TEST(PatchSides, ThatDifferAreNamed) {
  const ExtendedCheckpoint file("golden/hub/hf_dinov2/model.safetensors", {});
  const Checkpoint narrow =
      withTensors(readCheckpoint(file.request().path), [](std::string&, torch::Tensor& tensor) {
        if (tensor.dim() == 4) tensor = tensor.narrow(3, 0, tensor.size(3) / 2).contiguous();
      });
  ModelRequest request;
  request.path = file.beside("narrow.safetensors");
  writeSafetensors(request.path, narrow.state, {});
  EXPECT_THAT(test::messageOf<ModelError>([&] { openModel(request); }),
              HasSubstr("patches have 14 x 7 pixels"));
}

}  // namespace
}  // namespace softscope
