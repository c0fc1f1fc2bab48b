#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "models/OpenModel.h"
#include "models/identify/ConfiguredTransform.h"
#include "tests/models/Golden.h"
#include "tests/models/identify/ExtendedCheckpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <utility>

namespace softscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Extent = InputTransform::Extent;
using Filter = InputTransform::Filter;

InputTransform transformOf(const std::string& hubCase, const char* file = "model.safetensors") {
  const std::string path = goldenPath("hub/" + hubCase + "/" + file);
  return identifyModel(ModelRequest{.path = path}).transform;
}

/// The files that the libraries themselves wrote.
TEST(ConfiguredTransform, IsReadFromFilesBesideTheWeights) {
  const InputTransform vit = transformOf("hf_vit");
  EXPECT_EQ(vit.extent, Extent::Whole);
  EXPECT_EQ(vit.height, 32);
  EXPECT_EQ(vit.filter, Filter::Bilinear);
  EXPECT_THAT(vit.mean, ElementsAre(0.5f, 0.5f, 0.5f));

  const InputTransform deit = transformOf("hf_deit_distilled");
  EXPECT_EQ(deit.extent, Extent::SqueezedCrop);
  EXPECT_EQ(deit.width, 40);
  EXPECT_DOUBLE_EQ(deit.cropFraction, 40 / 46.0);
  EXPECT_EQ(deit.filter, Filter::Bicubic);

  const InputTransform dinov2 = transformOf("hf_dinov2");
  EXPECT_EQ(dinov2.extent, Extent::CentreCrop);
  EXPECT_EQ(dinov2.height, 56);
  EXPECT_DOUBLE_EQ(dinov2.cropFraction, 56 / 64.0);

  const InputTransform cvt = transformOf("hf_cvt");
  EXPECT_EQ(cvt.extent, Extent::CentreCrop);
  EXPECT_EQ(cvt.height, 64);
  EXPECT_DOUBLE_EQ(cvt.cropFraction, 0.875);

  const InputTransform clip = transformOf("timm_clip");
  EXPECT_DOUBLE_EQ(clip.cropFraction, 0.9);
  EXPECT_FLOAT_EQ(clip.mean[0], 0.48145466f);
  EXPECT_FLOAT_EQ(clip.deviation[2], 0.27577711f);
}

TEST(ConfiguredTransform, WithoutFilesIsTheFamilys) {
  EXPECT_EQ(transformOf("hf_vit_v5", "checkpoint.pth").extent, Extent::Whole);
  const InputTransform dinov2 = transformOf("fb_dinov2", "checkpoint.pth");
  EXPECT_EQ(dinov2.extent, Extent::CentreCrop);
  EXPECT_EQ(dinov2.height, 56);
  EXPECT_DOUBLE_EQ(dinov2.cropFraction, 0.875);
}

TEST(ConfiguredTransform, AFilterThatSoftscopeLacksIsSaid) {
  const ExtendedCheckpoint file("golden/hub/hf_vit/model.safetensors", {});
  const auto reasonWith = [&](const std::string& text) {
    file.writeBeside("preprocessor_config.json", text);
    return identifyModel(file.request()).reason;
  };
  EXPECT_THAT(reasonWith(R"({"resample": 0})"), HasSubstr("resizes pictures with nearest"));
  EXPECT_THAT(reasonWith(R"({"resample": 1})"),
              HasSubstr("preprocessor_config.json beside the file resizes pictures with lanczos"));
  for (const char* known : {R"({"resample": 3})", R"({"resample": 1, "do_resize": false})",
                            R"({"resample": 1000})", "{}"}) {
    EXPECT_THAT(reasonWith(known), Not(HasSubstr("resizes"))) << known;
  }
  file.writeBeside("config.json", R"({"pretrained_cfg": {"interpolation": "lanczos"}})");
  EXPECT_THAT(identifyModel(file.request()).reason,
              HasSubstr("config.json beside the file resizes pictures with lanczos"));
}

TEST(ConfiguredTransform, TheFilterOfTheFilesOwnMetadataIsNoDoubt) {
  const ExtendedCheckpoint file("golden/hub/hf_vit/model.safetensors", {});
  file.writeBeside("preprocessor_config.json", R"({"resample": 1})");
  Checkpoint checkpoint = readCheckpoint(file.request().path);
  EXPECT_THAT(identifyModel(checkpoint).reason, HasSubstr("resizes pictures with lanczos"));
  for (const auto& [word, filter] :
       {std::pair("bilinear", Filter::Bilinear), std::pair("bicubic", Filter::Bicubic)}) {
    checkpoint.metadata["filter"] = word;
    const ModelSummary summary = identifyModel(checkpoint);
    EXPECT_THAT(summary.reason, Not(HasSubstr("resizes"))) << word;
    EXPECT_EQ(summary.transform.filter, filter) << word;
  }
  checkpoint.metadata["filter"] = "lanczos";
  EXPECT_THAT(identifyModel(checkpoint).reason, HasSubstr("resizes pictures with lanczos"));
}

TEST(ConfigurationFile, NamesClasses) {
  const ExtendedCheckpoint file("golden/hub/hf_vit/model.safetensors", {});
  const auto namesWith = [&](const std::string& labels) {
    file.writeBeside("config.json", R"({"hidden_size": 128, "id2label": {)" + labels + "}}");
    return identifyModel(file.request()).classNames;
  };
  std::string labels;
  std::string numbered;
  for (int i = 0; i < 10; ++i) {
    const std::string index = std::to_string(i);
    labels += (i == 0 ? "\"" : ", \"") + index + "\": \"animal " + index + "\"";
    numbered += (i == 0 ? "\"" : ", \"") + index + "\": \"LABEL_" + index + "\"";
  }
  EXPECT_EQ(namesWith(labels).at(7), "animal 7");
  EXPECT_THAT(namesWith(numbered), IsEmpty()) << "a number is no name";
  EXPECT_THAT(namesWith(R"("0": "one of ten")"), IsEmpty());
}

TEST(ConfigurationFile, SaysTheActivationThatWeightsDoNotTell) {
  const ExtendedCheckpoint file("golden/hub/hf_vit/model.safetensors", {});
  file.writeBeside("config.json", R"({"hidden_act": "mish"})");
  try {
    identifyModel(file.request());
    ADD_FAILURE() << "Softscope does not compute that";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("the activation mish"));
  }
}

InputTransform preparedBy(const char* preprocessor, const char* modelType = "") {
  InputTransform transform;
  transformOfPreprocessor(nlohmann::json::parse(preprocessor), modelType).applyTo(transform);
  return transform;
}

TEST(ConfiguredTransform, ANumberIsTheShorterSideOrASquareAsTheProcessorReadsIt) {
  for (const char* type : {"CLIPFeatureExtractor", "CLIPImageProcessor", "BitImageProcessor",
                           "MobileViTFeatureExtractor"}) {
    const std::string text = R"({"size": 40, "crop_size": 32, "feature_extractor_type": ")" +
                             std::string(type) + R"("})";
    const InputTransform cropped = preparedBy(text.c_str());
    EXPECT_EQ(cropped.extent, Extent::CentreCrop) << type;
    EXPECT_EQ(cropped.height, 32) << type;
    EXPECT_DOUBLE_EQ(cropped.cropFraction, 0.8) << type;
  }
  for (const char* type : {"ViTFeatureExtractor", "ViTImageProcessorFast", "BeitImageProcessor",
                           "SiglipImageProcessor", "PvtImageProcessor", ""}) {
    const std::string text =
        R"({"size": 32, "image_processor_type": ")" + std::string(type) + R"("})";
    const InputTransform squeezed = preparedBy(text.c_str());
    EXPECT_EQ(squeezed.extent, Extent::Whole) << type;
    EXPECT_EQ(squeezed.height, 32) << type;
  }
  EXPECT_EQ(preparedBy(R"({"size": 32, "default_to_square": false})").extent, Extent::CentreCrop);
  EXPECT_EQ(preparedBy(R"({"size": [24, 32]})").height, 24);
  EXPECT_EQ(preparedBy(R"({"size": [24, 32]})").extent, Extent::Whole);
}

TEST(ConfiguredTransform, ANumberIsReadAsTheNetworksOwnProcessorDoesIfTheFileNamesNone) {
  for (const char* type : {"clip", "clip_vision_model", "dinov2", "mobilevit"}) {
    EXPECT_EQ(preparedBy(R"({"size": 32})", type).extent, Extent::CentreCrop) << type;
  }
  EXPECT_DOUBLE_EQ(preparedBy(R"({"size": 32})", "cvt").cropFraction, 0.875);
  EXPECT_EQ(preparedBy(R"({"size": 32})", "vit").extent, Extent::Whole);
  EXPECT_EQ(
      preparedBy(R"({"size": 32, "image_processor_type": "ViTImageProcessor"})", "clip").extent,
      Extent::Whole);

  const ExtendedCheckpoint file("golden/hub/hf_dinov2/model.safetensors", {});
  file.writeBeside("preprocessor_config.json", R"({"size": 32})");
  EXPECT_EQ(identifyModel(file.request()).transform.extent, Extent::Whole);
  file.writeBeside("config.json", R"({"model_type": "dinov2"})");
  EXPECT_EQ(identifyModel(file.request()).transform.extent, Extent::CentreCrop);
}

TEST(ConfiguredTransform, ConvNextsProcessorCropsWithItsFractionAlsoIfTheFileHasNone) {
  for (const char* text : {R"({"size": 64, "crop_pct": 0.8})",
                           R"({"size": {"shortest_edge": 64}, "crop_pct": 0.8})"}) {
    EXPECT_EQ(preparedBy(text).extent, Extent::CentreCrop) << text;
    EXPECT_DOUBLE_EQ(preparedBy(text).cropFraction, 0.8) << text;
  }
  for (const char* text :
       {R"({"size": 64, "crop_pct": null, "feature_extractor_type": "ConvNextFeatureExtractor"})",
        R"({"size": {"shortest_edge": 64}, "image_processor_type": "ConvNextImageProcessor"})"}) {
    EXPECT_EQ(preparedBy(text).extent, Extent::CentreCrop) << text;
    EXPECT_DOUBLE_EQ(preparedBy(text).cropFraction, 0.875) << text;
  }
  EXPECT_EQ(preparedBy(R"({"size": 384, "crop_pct": 0.875})").extent, Extent::Whole);
}

TEST(ConfiguredTransform, OnlyMobileVitsProcessorNormalisesNothingUnlessTheFileAsksForIt) {
  const auto meanWith = [](const std::string& words) {
    return preparedBy((R"({"image_mean": [0.25, 0.25, 0.25])" + words + "}").c_str()).mean[0];
  };
  EXPECT_EQ(meanWith(""), 0.25F);
  EXPECT_EQ(meanWith(R"(, "do_normalize": null)"), 0.25F);
  EXPECT_EQ(meanWith(R"(, "do_normalize": false)"), 0);
  const std::string mobile = R"(, "image_processor_type": "MobileViTImageProcessor")";
  EXPECT_EQ(meanWith(mobile), 0);
  EXPECT_EQ(meanWith(mobile + R"(, "do_normalize": null)"), 0);
  EXPECT_EQ(meanWith(mobile + R"(, "do_normalize": true)"), 0.25F);
}

TEST(ConfiguredTransform, BordersThatSoftscopeDoesNotAddAreSaid) {
  const ExtendedCheckpoint file("golden/hub/hf_vit/model.safetensors", {});
  const auto reasonWith = [&](const std::string& mode) {
    file.writeBeside("config.json", R"({"pretrained_cfg": {"crop_mode": ")" + mode + R"("}})");
    return identifyModel(file.request()).reason;
  };
  EXPECT_THAT(reasonWith("border"),
              HasSubstr("But config.json beside the file adds borders to whole pictures"));
  EXPECT_THAT(reasonWith("center"), Not(HasSubstr("borders")));
  EXPECT_THAT(reasonWith("squash"), Not(HasSubstr("borders")));
}

std::string doubtsIn(const std::string& preprocessor) {
  std::string text;
  const auto said = transformOfPreprocessor(nlohmann::json::parse(preprocessor), "");
  for (const std::string& doubt : said.doubts("FILE", {})) text += doubt + "; ";
  return text;
}

TEST(ConfiguredTransform, CropsOfHuggingFacesProcessorsBeginAtTheFloor) {
  EXPECT_EQ(preparedBy(R"({"size": 40})").cropStart, InputTransform::CropStart::Floored);
  InputTransform timms;
  transformOfTimm(nlohmann::json::parse(R"({"crop_pct": 0.9})")).applyTo(timms);
  EXPECT_EQ(timms.cropStart, InputTransform::CropStart::Rounded);
}

/// As published on the hub, with every key.
TEST(ConfiguredTransform, PublishedFilesLeaveNoDoubt) {
  for (const char* text :
       {R"({"do_normalize": true, "do_resize": true, "image_mean": [0.5, 0.5, 0.5],
            "image_std": [0.5, 0.5, 0.5], "size": 224})",
        R"({"crop_size": 224, "do_center_crop": true, "do_normalize": true, "do_resize": true,
            "feature_extractor_type": "DeiTFeatureExtractor", "image_mean": [0.485, 0.456, 0.406],
            "image_std": [0.229, 0.224, 0.225], "resample": 3, "size": 256})",
        R"({"crop_size": 224, "do_center_crop": false, "do_normalize": true, "do_resize": true,
            "feature_extractor_type": "BeitFeatureExtractor", "resample": 2, "size": 224})",
        R"({"crop_size": {"height": 224, "width": 224}, "do_center_crop": true,
            "do_convert_rgb": true, "do_normalize": true, "do_rescale": true, "do_resize": true,
            "image_processor_type": "BitImageProcessor", "resample": 3,
            "rescale_factor": 0.00392156862745098, "size": {"shortest_edge": 256}})",
        R"({"crop_size": 224, "do_center_crop": true, "do_normalize": true, "do_resize": true,
            "feature_extractor_type": "CLIPFeatureExtractor", "resample": 3, "size": 224})",
        R"({"crop_size": null, "data_format": "channels_first", "default_to_square": true,
            "device": null, "disable_grouping": null, "do_center_crop": null,
            "do_convert_rgb": null, "do_normalize": true, "do_pad": null, "do_rescale": true,
            "do_resize": true, "image_processor_type": "DINOv3ViTImageProcessorFast",
            "pad_size": null, "resample": 2, "rescale_factor": 0.00392156862745098,
            "return_tensors": null, "size": {"height": 224, "width": 224}})",
        R"({"do_normalize": true, "do_rescale": true, "do_resize": true,
            "image_processor_type": "SiglipImageProcessor", "processor_class": "SiglipProcessor",
            "resample": 3, "size": {"height": 384, "width": 384}})",
        R"({"crop_pct": 0.875, "do_normalize": true, "do_resize": true,
            "feature_extractor_type": "ConvNextFeatureExtractor", "resample": 3, "size": 224})",
        R"({"do_normalize": true, "do_pad": false, "do_rescale": true, "do_resize": true,
            "ensure_multiple_of": 14, "image_processor_type": "DPTImageProcessor",
            "keep_aspect_ratio": true, "resample": 3, "rescale_factor": 0.00392156862745098,
            "size": {"height": 518, "width": 518}, "size_divisor": null})"}) {
    EXPECT_EQ(doubtsIn(text), "") << text;
  }
}

TEST(ConfiguredTransform, PixelsAreScaledAsTheFileSays) {
  const std::string norm = R"("image_mean": [0.5, 0.5, 0.5], "image_std": [0.25, 0.25, 0.25])";
  const auto with = [&](const std::string& words) {
    return preparedBy(("{" + norm + ", " + words + "}").c_str());
  };
  // (x / 127.5 - 0.5) / 0.25 is (x / 255 - 0.25) / 0.125.
  EXPECT_FLOAT_EQ(with(R"("rescale_factor": 0.00784313725490196)").mean[0], 0.25F);
  EXPECT_FLOAT_EQ(with(R"("rescale_factor": 0.00784313725490196)").deviation[1], 0.125F);
  EXPECT_FLOAT_EQ(with(R"("do_rescale": false)").mean[2], 0.5F / 255);
  EXPECT_FLOAT_EQ(with(R"("do_rescale": false, "do_normalize": false)").deviation[0], 1.0F / 255);
  EXPECT_EQ(with(R"("rescale_factor": 0.00392156862745098)").mean[0], 0.5F);
  EXPECT_EQ(with(R"("rescale_factor": 0.00392156862745098)").deviation[0], 0.25F);
  EXPECT_FLOAT_EQ(preparedBy(R"({"image_mean": 0.75, "image_std": 0.5})").mean[1], 0.75F);
  EXPECT_THAT(doubtsIn(R"({"rescale_factor": "1/255"})"), HasSubstr("rescale_factor"));
  EXPECT_THAT(doubtsIn(R"({"do_rescale": false})"), HasSubstr("without knowing mean"));
}

TEST(ConfiguredTransform, KeysThatAFileLacksAreThoseOfTheClassThatItNames) {
  const InputTransform bit = preparedBy(
      R"({"image_processor_type": "BitImageProcessor", "size": {"shortest_edge": 256}})");
  EXPECT_EQ(bit.height, 224);
  EXPECT_DOUBLE_EQ(bit.cropFraction, 0.875);
  EXPECT_FLOAT_EQ(bit.mean[0], 0.48145466F);
  const InputTransform whole = preparedBy(
      R"({"image_processor_type": "ViTImageProcessor", "size": {"height": 40, "width": 40},
          "crop_size": {"height": 32, "width": 32}, "do_center_crop": null})");
  EXPECT_EQ(whole.extent, Extent::Whole);
  EXPECT_EQ(whole.height, 40);
  EXPECT_EQ(whole.filter, Filter::Bilinear);
  EXPECT_EQ(preparedBy(R"({"image_processor_type": "BlipImageProcessor"})").height, 384);
  EXPECT_EQ(preparedBy("{}").height, 224);
  EXPECT_EQ(preparedBy(R"({"size": 40, "crop_size": 32})").extent, Extent::SqueezedCrop);
}

TEST(ConfiguredTransform, ProportionsAreKeptAsDepthAnythingAndNaFlexKeepThem) {
  const InputTransform depth = preparedBy(
      R"({"image_processor_type": "DPTImageProcessor", "size": {"height": 32, "width": 32},
          "keep_aspect_ratio": true, "ensure_multiple_of": 8})");
  EXPECT_EQ(depth.extent, Extent::Fitted);
  EXPECT_EQ(depth.fit, InputTransform::Fit{.multiple = 8});
  EXPECT_EQ(depth.height, 32);
  const InputTransform flexible = preparedBy(
      R"({"image_processor_type": "Siglip2ImageProcessor", "patch_size": 8,
          "max_num_patches": 64})");
  EXPECT_EQ(flexible.extent, Extent::Fitted);
  EXPECT_EQ(flexible.fit, (InputTransform::Fit{.multiple = 8, .mostPatches = 64}));
  EXPECT_EQ(flexible.height, 64);
}

TEST(ConfiguredTransform, StepsThatSoftscopeDoesNotTakeAreNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"image_processor_type": "BitImageProcessor", "do_center_crop": false})",
       "crops nothing"},
      {R"({"image_processor_type": "ViTImageProcessor", "size": {"shortest_edge": 32}})",
       "crops nothing"},
      {R"({"size": {"shortest_edge": 32, "longest_edge": 50}})", "longest_edge"},
      {R"({"size": {"longest_edge": 32}})", "longest_edge"},
      {R"({"size": {"max_height": 32, "max_width": 32}})", "max_height"},
      {R"({"do_pad": true, "pad_size": {"height": 48, "width": 48}})", "pad_size"},
      {R"({"size": {"shortest_edge": 40}, "crop_size": {"height": 32, "width": 48}})",
       "crops 32 x 48 pixels"},
      {R"({"size": {"shortest_edge": 28}, "crop_size": 32})", "adds zeros"},
      {R"({"size": {"height": 40, "width": 56}, "crop_size": 32})", "squeezes pictures to 40 x 56"},
      {R"({"size": 32, "keep_aspect_ratio": true})", "keep_aspect_ratio"},
      {R"({"rescale_offset": true})", "rescale_offset"},
      {R"({"do_resize": false})", "their own size"},
      {R"({"resample": "bicubic"})", "resample"},
      {R"({"image_mean": "imagenet"})", "image_mean"},
      {R"({"image_processor_type": "DonutImageProcessor"})", "DonutImageProcessor"}};
  for (const auto& [text, named] : cases) EXPECT_THAT(doubtsIn(text), HasSubstr(named)) << text;
  const std::string longText = R"({"resample": ")" + std::string(1000, 'x') + R"("})";
  EXPECT_LT(doubtsIn(longText).size(), 200);
}

TEST(ConfiguredTransform, DoubtsAreListedAndLowerTheConfidence) {
  const ExtendedCheckpoint file("golden/hub/hf_vit/model.safetensors", {});
  file.writeBeside("config.json", R"({"num_attention_heads": 2, "layer_norm_eps": 1e-12,
                                      "hidden_act": "gelu", "model_type": "vit"})");
  file.writeBeside("preprocessor_config.json", R"({"size": 32, "resample": 2})");
  EXPECT_THAT(identifyModel(file.request()).preparationDoubts, IsEmpty());
  file.writeBeside("preprocessor_config.json", R"({"size": 32, "resample": 1})");
  const ModelSummary doubted = identifyModel(file.request());
  EXPECT_THAT(doubted.preparationDoubts, ElementsAre(HasSubstr("lanczos")));
  EXPECT_LE(doubted.confidence(), 0.5);
}

TEST(ConfiguredTransform, ProcessorConfigStandsInFrontOfPreprocessorConfig) {
  const ExtendedCheckpoint file("golden/hub/hf_vit/model.safetensors", {});
  file.writeBeside("preprocessor_config.json",
                   R"({"size": 32, "image_mean": 0.5, "image_std": 1})");
  EXPECT_EQ(identifyModel(file.request()).transform.height, 32);
  file.writeBeside("processor_config.json", R"({"processor_class": "CLIPProcessor"})");
  EXPECT_EQ(identifyModel(file.request()).transform.height, 32);
  EXPECT_TRUE(identifyModel(file.request()).passedOver.empty());
  file.writeBeside("processor_config.json", R"({"image_processor": [48]})");
  EXPECT_THAT(identifyModel(file.request()).passedOver,
              ElementsAre("processor_config.json has an image_processor that is no object"));
  file.writeBeside("processor_config.json",
                   R"({"image_processor": {"size": 48, "image_mean": 0.25, "image_std": 1}})");
  const ModelSummary summary = identifyModel(file.request());
  EXPECT_EQ(summary.transform.height, 48);
  EXPECT_EQ(summary.transform.mean[0], 0.25F);
  EXPECT_EQ(summary.setting("mean")->source, "from processor_config.json");
}

}  // namespace
}  // namespace softscope
