#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/Safetensors.h"
#include "core/network/Inspector.h"
#include "core/network/Network.h"
#include "models/OpenModel.h"
#include "tests/core/checkpoint/TestFiles.h"
#include "tests/models/Golden.h"
#include "tests/models/identify/ReconfiguredCase.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace softscope {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Not;

std::vector<std::string> guessesOfSwin(const ModelSummary& summary) {
  std::vector<std::string> guesses;
  for (const NetworkSetting& setting : summary.undetermined()) {
    const bool isOfPictures = setting.option == "mean" || setting.option == "std";
    if (!isOfPictures) guesses.push_back(setting.option);
  }
  return guesses;
}

/// A copy of a golden case without config.json, with these metadata and under this name.
class BareSwin {
 public:
  BareSwin(const std::string& name, const std::map<std::string, std::string>& metadata,
           const std::string& fileName = "model.safetensors") {
    const ReconfiguredCase bare("windows/" + name, "");
    request_.path = folder_.file(fileName);
    writeSafetensors(request_.path, readCheckpoint(bare.request().path).state, metadata);
  }
  const ModelRequest& request() const { return request_; }

 private:
  TemporaryFolder folder_;
  ModelRequest request_;
};

TEST(SwinSettings, ThatNoWeightTellsAreGuessedAtSizesNobodyPublished) {
  EXPECT_THAT(guessesOfSwin(identifyModel(BareSwin("timm_swin", {}).request())),
              AllOf(Contains("activation"), Contains("epsilon"), Contains("pooling"),
                    Contains("always_partition"), Not(Contains("pretrained_window_sizes"))));
  EXPECT_THAT(guessesOfSwin(identifyModel(BareSwin("timm_swinv2", {}).request())),
              AllOf(Contains("pooling"), Contains("window"), Contains("pretrained_window_sizes"),
                    Contains("always_partition")));
  // Its positions are stored, and its code takes the mean.
  EXPECT_THAT(guessesOfSwin(identifyModel(BareSwin("tv_swinv2", {}).request())),
              AllOf(Contains("epsilon"), Not(Contains("window")), Not(Contains("pooling")),
                    Not(Contains("pretrained_window_sizes"))));
}

TEST(SwinSettings, AreToldByAConfigurationThatNamesTheNetwork) {
  for (const char* name : {"timm_swin", "timm_swinv2", "timm_swinv2_pretrained", "hf_swinv2"}) {
    const Golden golden(goldenPath(std::string("windows/") + name));
    EXPECT_THAT(guessesOfSwin(golden.model->summary()), ::testing::IsEmpty()) << name;
  }
}

TEST(SwinSettings, MetadataTellTheWindowsThatPositionsAreMeasuredIn) {
  const Golden golden(goldenPath("windows/timm_swinv2_pretrained"));
  const auto logitsWith = [&](const std::string& sizes) {
    const BareSwin told("timm_swinv2_pretrained", {{"pretrained_window_sizes", sizes}});
    ModelRequest request = told.request();
    request.window = "5";
    return inspect(*openModel(request), golden.input())->logits;
  };
  EXPECT_EQ(logitsWith("4,3,2"), golden.inspection->logits);
  EXPECT_NE(logitsWith("0"), golden.inspection->logits);
  const BareSwin wrong("timm_swinv2_pretrained", {{"pretrained_window_sizes", "4,3"}});
  EXPECT_THROW(identifyModel(wrong.request()), ModelError);
}

TEST(SwinSettings, ANameOfANetworkOfOtherSizesTellsNoWindow) {
  const BareSwin named("timm_swinv2", {}, "swinv2_tiny_window8_256.safetensors");
  EXPECT_THAT(guessesOfSwin(identifyModel(named.request())), Contains("window"));
}

/// A Swin V2 of tiny's channels and depths, but for the last depth, called `path`.
Checkpoint tinySwinV2(int lastDepth, const std::string& path) {
  Checkpoint checkpoint;
  checkpoint.path = path;
  const auto add = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
    checkpoint.state.insert(name, torch::zeros({1}).expand(shape));
  };
  add("patch_embed.proj.weight", {96, 3, 4, 4});
  const std::vector<int> depths{2, 2, 6, lastDepth};
  for (std::size_t s = 0; s < depths.size(); ++s) {
    const std::int64_t channels = 96 << s;
    for (int b = 0; b < depths[s]; ++b) {
      const std::string block = "layers." + std::to_string(s) + ".blocks." + std::to_string(b);
      add(block + ".norm1.weight", {channels});
      add(block + ".attn.qkv.weight", {3 * channels, channels});
      add(block + ".attn.logit_scale", {channels / 32, 1, 1});
    }
  }
  add("head.fc.weight", {10, 768});
  return checkpoint;
}

TEST(SwinSettings, ANameTellsTheWindowsOfANetworkOfItsSizes) {
  const char* name = "swinv2_tiny_window12to16_192to256.pth";
  const ModelSummary summary = identifyModel(tinySwinV2(2, name));
  EXPECT_EQ(summary.setting("window")->value, "16");
  EXPECT_EQ(summary.setting("pretrained_window_sizes")->value, "12,12,12,6");
  EXPECT_THAT(guessesOfSwin(summary),
              AllOf(Not(Contains("window")), Not(Contains("pretrained_window_sizes"))));
  for (const Checkpoint& other : {tinySwinV2(4, name), tinySwinV2(2, "model.pth")}) {
    const ModelSummary guessed = identifyModel(other);
    EXPECT_EQ(guessed.setting("window")->value, "8");
    EXPECT_EQ(guessed.setting("pretrained_window_sizes")->value, "0,0,0,0");
    EXPECT_THAT(guessesOfSwin(guessed),
                AllOf(Contains("window"), Contains("pretrained_window_sizes")));
  }
}

TEST(SwinSettings, TheHeadMaySeeTheLargestValues) {
  const Golden golden(goldenPath("windows/timm_swin"));
  const auto logitsWith = [&](const std::string& pooling) {
    const BareSwin bare("timm_swin", {});
    ModelRequest request = bare.request();
    request.pooling = pooling;
    return inspect(*openModel(request), golden.input())->logits;
  };
  const std::vector<float> mean = logitsWith("mean");
  const std::vector<float> largest = logitsWith("max");
  const std::vector<float> half = logitsWith("avgmax");
  EXPECT_EQ(mean, golden.inspection->logits);
  EXPECT_NE(largest, mean);
  for (std::size_t i = 0; i < mean.size(); ++i) {
    EXPECT_NEAR(half[i], 0.5f * (mean[i] + largest[i]), 1e-4f * (1 + std::abs(half[i])));
  }
}

TEST(SwinSettings, MaskFormersSwinKeepsWindowsAndShiftsOnSmallGrids) {
  const ReconfiguredCase masked("windows/hf_swin", R"({"model_type": "maskformer-swin"})");
  const ModelSummary summary = identifyModel(masked.request());
  ASSERT_NE(summary.setting("always_partition"), nullptr);
  EXPECT_EQ(summary.setting("always_partition")->value, "true");
  const ReconfiguredCase plain("windows/hf_swin", R"({"model_type": "swin"})");
  const auto run = [&](const ReconfiguredCase& one) {
    openModel(one.request())->network().checkInputSize(8, 32);
  };
  EXPECT_THROW(run(plain), InspectionError);
  EXPECT_NO_THROW(run(masked));
}

TEST(SwinSettings, BackbonesHaveNoNormBehindTheLastStage) {
  const BareSwin bare("hf_swin", {});
  const Checkpoint whole = readCheckpoint(bare.request().path);
  StateDict state;
  for (const StateDict::Entry& entry : whole.state.entries()) {
    const bool isEnd = entry.name.find("classifier.") != std::string::npos ||
                       entry.name.find("swin.layernorm.") != std::string::npos;
    if (!isEnd) state.insert(entry.name, entry.tensor);
  }
  const TemporaryFolder folder;
  ModelRequest request;
  request.path = folder.file("model.safetensors");
  // Norms of stages tell a backbone from a file that lost its norm.
  writeSafetensors(request.path, state, {});
  EXPECT_THAT(identifyModel(request).missing, ::testing::SizeIs(2));
  state.insert("swin.hidden_states_norms.stage1.weight", torch::ones({8}));
  state.insert("swin.swin.layernorm.weight", torch::ones({8}));
  state.insert("decode_head.classifier.weight", torch::ones({8, 8, 1, 1}));
  writeSafetensors(request.path, state, {});
  const ModelSummary summary = identifyModel(request);
  EXPECT_THAT(summary.missing, ::testing::IsEmpty());
  EXPECT_THAT(summary.foreign, ::testing::IsEmpty());
  EXPECT_THAT(summary.reason, ::testing::HasSubstr("no norm behind its last stage"));
}

TEST(SwinSettings, StoredPositionsTellWindowAndUnits) {
  // torchvision's positions under timm's names.
  const BareSwin bare("timm_swinv2", {});
  StateDict state = readCheckpoint(bare.request().path).state;
  std::vector<std::string> blocks;
  for (const StateDict::Entry& entry : state.entries()) {
    const std::size_t at = entry.name.find("logit_scale");
    if (at != std::string::npos) blocks.push_back(entry.name.substr(0, at));
  }
  constexpr int side = 3;
  const torch::Tensor places = torch::arange(1 - side, side, torch::kFloat32) / (side - 1) * 8;
  const torch::Tensor axis = places.sign() * (places.abs() + 1).log2() / 3;
  const torch::Tensor table =
      torch::stack({axis.unsqueeze(1).expand({-1, 5}), axis.unsqueeze(0).expand({5, -1})}, -1)
          .unsqueeze(0)
          .contiguous();
  for (const std::string& block : blocks) state.insert(block + "relative_coords_table", table);
  const TemporaryFolder folder;
  ModelRequest request;
  request.path = folder.file("model.safetensors");
  writeSafetensors(request.path, state, {});
  const auto model = openModel(request);
  EXPECT_EQ(model->summary().setting("window"), nullptr);
  const Golden golden(goldenPath("windows/timm_swinv2"));
  const std::vector<float> logits = inspect(*model, golden.input())->logits;
  ASSERT_EQ(logits.size(), golden.inspection->logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i) {
    EXPECT_NEAR(logits[i], golden.inspection->logits[i], 1e-4f);
  }
}

}  // namespace
}  // namespace softscope
