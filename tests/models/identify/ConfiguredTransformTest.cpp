#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "models/OpenModel.h"
#include "tests/models/Golden.h"
#include "tests/models/identify/ExtendedCheckpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace softscope
