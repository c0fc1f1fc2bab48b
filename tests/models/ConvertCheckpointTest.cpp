#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/Safetensors.h"
#include "core/network/Inspector.h"
#include "models/ConvertCheckpoint.h"
#include "models/OpenModel.h"
#include "tests/core/ErrorMessage.h"
#include "tests/models/Golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <map>

namespace softscope {
namespace {

class ConvertCheckpointTest : public ::testing::Test {
 protected:
  ConvertCheckpointTest() : output_(::testing::TempDir() + "converted.safetensors") {}
  ~ConvertCheckpointTest() override { std::remove(output_.c_str()); }

  const std::string input_ = goldenPath("soft/checkpoint.pth");
  const std::string output_;
};

TEST_F(ConvertCheckpointTest, KeepsEveryValue) {
  ConversionOptions options;
  options.metadata = {{"mechanism", "soft++"}, {"note", "kept"}};
  const ConversionResult result = convertCheckpoint(input_, output_, options);
  const Checkpoint before = readCheckpoint(input_);
  const Checkpoint after = readCheckpoint(output_);
  ASSERT_EQ(after.state.size(), before.state.size());
  EXPECT_EQ(result.tensors, before.state.size());
  for (const auto& entry : before.state.entries()) {
    const torch::Tensor* converted = after.state.find(entry.name);
    ASSERT_NE(converted, nullptr) << entry.name;
    EXPECT_EQ(converted->scalar_type(), entry.tensor.scalar_type());
    EXPECT_TRUE(converted->equal(entry.tensor)) << entry.name;
  }
  EXPECT_EQ(after.metadata.at("mechanism"), "soft++");
  EXPECT_EQ(after.metadata.at("architecture"), "soft");
  EXPECT_EQ(after.metadata.at("note"), "kept");
  EXPECT_THAT(result.note, ::testing::HasSubstr("heads"));
}

TEST_F(ConvertCheckpointTest, RemembersThatTheWeightsAreARunningAverage) {
  EXPECT_EQ(readCheckpoint(input_).weights, "raw");
  convertCheckpoint(input_, output_, {});
  EXPECT_EQ(readCheckpoint(output_).weights, "raw");
  const std::string averaged = goldenPath("t2t_performer/checkpoint.pth");
  convertCheckpoint(averaged, output_, {});
  EXPECT_EQ(readCheckpoint(output_, WeightsChoice::Ema).weights, "ema");
}

TEST_F(ConvertCheckpointTest, HalvesOnlyFloatingPoint) {
  ConversionOptions options;
  options.half = true;
  const ConversionResult result = convertCheckpoint(input_, output_, options);
  const Checkpoint after = readCheckpoint(output_);
  EXPECT_EQ(after.state.find("head.weight")->scalar_type(), torch::kFloat16);
  EXPECT_EQ(after.state.find("patch_embed1.proj.1.num_batches_tracked")->scalar_type(),
            torch::kLong);
  EXPECT_LT(std::filesystem::file_size(output_), std::filesystem::file_size(input_) * 6 / 10);
  // Nothing says whether this is SOFT or SOFT++, so the file does not claim it.
  EXPECT_FALSE(result.note.empty());
  EXPECT_EQ(after.metadata.count("mechanism"), 0u);
}

TEST_F(ConvertCheckpointTest, WhatIsSaidOfTheWeightsDecidesWhatTheyAre) {
  ConversionOptions options;
  options.metadata = {{"activation", "relu"}, {"heads", "2"}};
  const std::string sima = goldenPath("sima/checkpoint.pth");
  convertCheckpoint(sima, output_, options);
  const ModelSummary summary = identifyModel(readCheckpoint(output_));
  EXPECT_EQ(summary.setting("activation")->value, "relu");
  EXPECT_EQ(summary.heads, std::vector<int>{2});
  EXPECT_EQ(summary.metadata.at("architecture"), "sima");
}

TEST_F(ConvertCheckpointTest, SaysWhatDoesNotFitTheWeightsAndWritesNothing) {
  ConversionOptions options;
  options.metadata = {{"mechanism", "softpp"}};
  EXPECT_THROW(convertCheckpoint(input_, output_, options), ModelError);
  EXPECT_FALSE(std::filesystem::exists(output_));
}

TEST_F(ConvertCheckpointTest, KeepsAnArchitectureThatWasGiven) {
  ConversionOptions options;
  options.metadata = {{"architecture", "my_pyramid"}};
  convertCheckpoint(input_, output_, options);
  EXPECT_EQ(readCheckpoint(output_).metadata.at("architecture"), "my_pyramid");
}

TEST_F(ConvertCheckpointTest, RefusesOtherExtensions) {
  EXPECT_THROW(convertCheckpoint(input_, output_ + ".pth", {}), FileError);
}

TEST_F(ConvertCheckpointTest, KeepsWhatTheConfigurationBesideSays) {
  const std::string path = goldenPath("hub/timm_clip_quickgelu/model.safetensors");
  convertCheckpoint(path, output_, {});
  const InputTensor input{32, 32, std::vector<float>(3 * 32 * 32, 0.25f)};
  EXPECT_EQ(inspect(*openModel({.path = output_}), input)->logits,
            inspect(*openModel({.path = path}), input)->logits);
}

TEST_F(ConvertCheckpointTest, PassesNoNumberOfATrainingOffAsTheNetworks) {
  const std::string trained = ::testing::TempDir() + "trained.safetensors";
  const std::map<std::string, std::string> ofTraining{{"epsilon", "0.03"}, {"padding", "4"}};
  writeSafetensors(trained, readCheckpoint(input_).state, ofTraining);
  convertCheckpoint(trained, output_, {});
  EXPECT_EQ(readCheckpoint(output_).metadata.count("epsilon"), 0u);
  EXPECT_EQ(readCheckpoint(output_).metadata.count("padding"), 0u);
  ConversionOptions options;
  options.metadata = {{"epsilon", "1e-6"}};
  convertCheckpoint(trained, output_, options);
  EXPECT_EQ(readCheckpoint(output_).metadata.at("epsilon"), "1e-6");
  convertCheckpoint(output_, trained, {});
  EXPECT_EQ(readCheckpoint(trained).metadata.at("epsilon"), "1e-6") << "it is its own file";
  std::remove(trained.c_str());
}

TEST_F(ConvertCheckpointTest, RefusesWhatReadersOfTheFileWouldIgnore) {
  const auto refusal = [this](const std::string& key, const std::string& value) -> std::string {
    ConversionOptions options;
    options.metadata = {{key, value}};
    return test::messageOf<ModelError>([&] { convertCheckpoint(input_, output_, options); });
  };
  const std::string list = R"(classes takes a JSON list of names, ["cat","dog"], not )";
  EXPECT_EQ(refusal("classes", "cat,dog"), list + R"("cat,dog")");
  EXPECT_EQ(refusal("classes", "[1,2]"), list + R"("[1,2]")");
  EXPECT_THAT(refusal("classes", R"(["a"])"),
              ::testing::HasSubstr("classes holds 1 name, not one for each of the "));
  EXPECT_EQ(refusal("crop", "87.5"), "crop takes a fraction above 0, at most 1, not \"87.5\"");
  EXPECT_EQ(refusal("crop", "0.9x"), "crop takes a fraction above 0, at most 1, not \"0.9x\"");
  EXPECT_EQ(refusal("filter", "lanczos"), "filter takes bicubic or bilinear, not \"lanczos\"");
  for (const std::string size : {"large", "160,160", "3,224,224", "0", "160x"}) {
    EXPECT_EQ(refusal("input_size", size),
              "input_size takes N or HxW, from 1 to 8192, not \"" + size + "\"");
  }
  EXPECT_EQ(refusal("ratios", "x"), "ratios takes A,B,..., not \"x\"");
  EXPECT_EQ(refusal("landmarks", "foo"), "landmarks takes pooled or N, not \"foo\"");
  EXPECT_FALSE(std::filesystem::exists(output_));
}

TEST_F(ConvertCheckpointTest, TakesWhatReadersOfTheFileUnderstand) {
  ConversionOptions options;
  options.metadata = {{"input_size", "160x224"}, {"crop", "1"}, {"filter", "bilinear"}};
  convertCheckpoint(input_, output_, options);
  const InputTransform transform = identifyModel(readCheckpoint(output_)).transform;
  EXPECT_EQ(transform.height, 160);
  EXPECT_EQ(transform.width, 224);
  EXPECT_EQ(transform.cropFraction, 1);
  EXPECT_EQ(transform.filter, InputTransform::Filter::Bilinear);
}

}  // namespace
}  // namespace softscope
