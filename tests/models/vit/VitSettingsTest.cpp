#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/network/NetworkRun.h"
#include "models/OpenModel.h"
#include "models/vit/VitModel.h"
#include "tests/core/ErrorMessage.h"
#include "tests/models/Golden.h"
#include "tests/models/identify/ExtendedCheckpoint.h"
#include "tests/models/identify/GuessedOptions.h"
#include "tests/models/vit/SmallVit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using test::guessedOptions;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Returns the options that a checkpoint leaves open, without the mechanism.
std::vector<std::string> undeterminedOf(const Checkpoint& checkpoint,
                                        const ModelRequest& request = {}) {
  std::vector<std::string> options = guessedOptions(identifyModel(checkpoint, request));
  std::erase(options, "attention");
  return options;
}

std::string objectionTo(const Checkpoint& checkpoint, const ModelRequest& request = {}) {
  return test::messageOf<ModelError>([&] { identifyModel(checkpoint, request); });
}

struct KnownVit {
  PlainVit sizes;
  int heads;

  friend void PrintTo(const KnownVit& vit, std::ostream* stream) {
    *stream << vit.sizes.width << " wide, " << vit.sizes.depth << " deep, patch "
            << vit.sizes.patch;
  }
};

class KnownVitTest : public ::testing::TestWithParam<KnownVit> {};

/// The networks of timm's library of these names.
TEST_P(KnownVitTest, HasTheHeadsItWasPublishedWith) {
  const auto& [sizes, heads] = GetParam();
  const ModelSummary summary = identifyModel(plainVit(sizes));
  EXPECT_THAT(summary.heads, ElementsAre(heads));
  EXPECT_EQ(summary.headsConfidence, 1);
  EXPECT_THAT(summary.headsAlternatives, IsEmpty());
  EXPECT_THAT(undeterminedOf(plainVit(sizes)), ElementsAre("mean", "std"))
      << "which differ between trainings";
  for (const char* option : {"activation", "epsilon", "norm", "pooling"}) {
    EXPECT_THAT(summary.setting(option)->source, HasSubstr("published")) << option;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Published, KnownVitTest,
    ::testing::Values(KnownVit{{.width = 384, .patch = 8, .side = 28}, 6},
                      KnownVit{{.width = 384, .patch = 32, .side = 7}, 6},
                      KnownVit{{.width = 768}, 12}, KnownVit{{.width = 768, .patch = 14}, 12},
                      KnownVit{{.width = 1024, .depth = 24}, 16},
                      KnownVit{{.width = 1280, .depth = 32, .patch = 14, .side = 16}, 16},
                      KnownVit{{.width = 1408, .depth = 40, .patch = 14, .hidden = 6144}, 16},
                      KnownVit{{.width = 1664, .depth = 48, .patch = 14, .hidden = 8192}, 16},
                      KnownVit{{.width = 64, .depth = 6, .hidden = 192, .side = 10}, 2}));

TEST(VitSettings, HeadsThatPublishedNetworksOfOneSizeDifferInAreAssumed) {
  for (const auto& [width, heads] : {std::pair{192, 3}, std::pair{384, 6}}) {
    const PlainVit sizes{.width = width};
    for (const char* name :
         {"", "vit_small", "vit_tiny", "vit_small_patch16", "vit_tiny_patch16"}) {
      Checkpoint checkpoint = plainVit(sizes);
      checkpoint.metadata["arch"] = name;
      const ModelSummary summary = identifyModel(checkpoint);
      EXPECT_THAT(summary.heads, ElementsAre(heads)) << name;
      EXPECT_THAT(undeterminedOf(checkpoint), Contains("heads")) << name;
      EXPECT_THAT(summary.setting("heads")->choices, Contains("12")) << name;
    }
    const std::string size = width == 192 ? "tiny" : "small";
    for (const std::string& name :
         {"vit_" + size + "_patch16_224.pth", "deit_" + size + "_patch16_224-1234abcd.pth",
          "vit_" + size + "_patch16_384.augreg_in21k_ft_in1k.bin"}) {
      const ModelSummary named = identifyModel(plainVit(sizes, name));
      EXPECT_THAT(named.heads, ElementsAre(heads)) << name;
      EXPECT_FALSE(named.setting("heads")->isUndetermined()) << name;
    }
  }
}

TEST(VitSettings, TheProjectionOfAPretrainingTellsTheHeads) {
  Checkpoint moco;
  moco.path = "checkpoint.pth";
  const Checkpoint whole = plainVit({.width = 384});
  for (const auto& entry : whole.state.entries()) {
    if (!entry.name.starts_with("head.")) moco.state.insert(entry.name, entry.tensor);
  }
  Checkpoint dino = moco;
  dino.metadata["args.arch"] = "vit_small";
  dino.state.insert("head.mlp.0.weight", torch::zeros({64, 384}));
  dino.state.insert("head.last_layer.weight_v", torch::zeros({32, 64}));
  moco.metadata["arch"] = "vit_small";
  moco.state.insert("head.0.weight", torch::zeros({64, 384}));
  moco.state.insert("head.1.weight", torch::ones({64}));
  moco.state.insert("head.1.bias", torch::zeros({64}));
  moco.state.insert("head.1.running_mean", torch::zeros({64}));
  moco.state.insert("head.1.running_var", torch::ones({64}));
  moco.state.insert("head.3.weight", torch::zeros({32, 64}));
  moco.state.insert("head.4.running_mean", torch::zeros({32}));
  moco.state.insert("head.4.running_var", torch::ones({32}));
  EXPECT_THAT(identifyModel(moco).heads, ElementsAre(12));
  EXPECT_THAT(identifyModel(moco).setting("heads")->source, HasSubstr("MoCo v3"));
  EXPECT_THAT(identifyModel(dino).heads, ElementsAre(6));
  EXPECT_THAT(undeterminedOf(dino), Not(Contains("heads")));
}

TEST(VitSettings, TimmsFirstSmallNetworkMayHaveTheScaleOfItsWidth) {
  const Checkpoint first =
      plainVit({.width = 768, .depth = 8, .hidden = 2304, .queryKeyValueBias = false});
  EXPECT_THAT(identifyModel(first).heads, ElementsAre(8));
  EXPECT_THAT(undeterminedOf(first), AllOf(Contains("scale"), Contains("epsilon")));
  EXPECT_EQ(identifyModel(first).setting("scale")->value, "width");
  ModelRequest request;
  request.scale = "head";
  EXPECT_EQ(identifyModel(first, request).setting("scale")->value, "head");
  request.scale = "width";
  const Checkpoint custom = plainVit({.width = 96, .depth = 2});
  EXPECT_EQ(identifyModel(custom, request).setting("scale")->value, "width");
  EXPECT_FALSE(identifyModel(custom, request).counterfactual);
  EXPECT_EQ(identifyModel(custom).setting("scale"), nullptr);
}

/// Whoever writes a vision transformer gives it other heads.
class UnknownVitTest : public ::testing::TestWithParam<PlainVit> {};

TEST_P(UnknownVitTest, LeavesOpenWhatNobodyTells) {
  const Checkpoint checkpoint = plainVit(GetParam());
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_THAT(undeterminedOf(checkpoint),
              ElementsAre("heads", "activation", "epsilon", "norm", "pooling", "mean", "std"));
  EXPECT_LE(summary.confidence(), 0.5);
  for (const NetworkSetting& setting : summary.undetermined()) {
    EXPECT_EQ(setting.choices.front(), setting.value) << setting.option;
    EXPECT_EQ(setting.source, "assumed");
    EXPECT_THAT(setting.why, Not(IsEmpty()));
    EXPECT_TRUE(setting.isChoosable()) << setting.option;
  }
  const int width = GetParam().width;
  const NetworkSetting& heads = *summary.setting("heads");
  for (const std::string& choice : heads.choices) EXPECT_EQ(width % std::stoi(choice), 0);
  for (const int usual : {1, 2, 4, 8, 12}) {
    if (width % usual != 0 || width / usual < 4) continue;
    EXPECT_THAT(heads.choices, Contains(std::to_string(usual)));
  }
  EXPECT_EQ(summary.headsAlternatives.size(), heads.choices.size());
}

TEST_P(UnknownVitTest, IsResolvedByOptions) {
  Checkpoint checkpoint = plainVit(GetParam());
  checkpoint.metadata["pool_include_prefix"] = "false";  // has no option
  ModelRequest request;
  request.heads = 4;
  request.activation = "silu";
  request.epsilon = "1e-5";
  request.norm = "post";
  request.pooling = "mean";
  request.mean = "clip";
  const ModelSummary summary = identifyModel(checkpoint, request);
  EXPECT_THAT(undeterminedOf(checkpoint, request), IsEmpty());
  EXPECT_FALSE(summary.counterfactual);
  EXPECT_THAT(summary.heads, ElementsAre(4));
  EXPECT_EQ(summary.setting("epsilon")->value, "1e-05");
  EXPECT_EQ(summary.setting("epsilon")->source, "chosen with --epsilon");
  EXPECT_FLOAT_EQ(summary.transform.deviation[0], 0.26862954f) << "a name says both";
  request.deviation = "0.25";
  EXPECT_FLOAT_EQ(identifyModel(checkpoint, request).transform.deviation[2], 0.25f);
}

TEST_P(UnknownVitTest, IsResolvedByTheFile) {
  Checkpoint checkpoint = plainVit(GetParam());
  checkpoint.metadata = {{"mechanism", "softmax"}, {"heads", "2"},        {"activation", "relu"},
                         {"epsilon", "1e-12"},     {"norm", "post"},      {"pooling", "mean"},
                         {"mean", "0.1,0.2,0.3"},  {"std", "0.4,0.5,0.6"}};
  checkpoint.metadata["pool_include_prefix"] = "false";
  checkpoint.metadata["position-resize"] = "plain";
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_THAT(summary.undetermined(), IsEmpty());
  EXPECT_EQ(summary.confidence(), 1);
  EXPECT_THAT(summary.heads, ElementsAre(2));
  for (const NetworkSetting& setting : summary.settings) {
    EXPECT_EQ(setting.source, "from the file's metadata") << setting.option;
  }
  EXPECT_FLOAT_EQ(summary.transform.mean[1], 0.2f);
  ModelRequest request;
  request.norm = "pre";
  EXPECT_TRUE(identifyModel(checkpoint, request).counterfactual);
  EXPECT_EQ(identifyModel(checkpoint, request).mechanismNote(),
            "with norm pre, not what was trained");
}

INSTANTIATE_TEST_SUITE_P(
    Written, UnknownVitTest,
    ::testing::Values(PlainVit{.width = 64, .depth = 6, .patch = 4, .side = 8},
                      PlainVit{.width = 128, .depth = 4, .patch = 4, .side = 8},
                      PlainVit{.width = 192, .depth = 9}, PlainVit{.width = 192, .patch = 4},
                      PlainVit{.width = 192, .hidden = 384}, PlainVit{.width = 256, .depth = 6},
                      PlainVit{.width = 384, .depth = 7}, PlainVit{.width = 384, .patch = 4},
                      PlainVit{.width = 512, .depth = 6}, PlainVit{.width = 768, .depth = 8},
                      PlainVit{.width = 48, .depth = 2, .patch = 7, .side = 4}),
    [](const auto& test) { return "case" + std::to_string(test.index); });

TEST(VitSettings, ArgumentsOfATrainingScriptTellTheHeads) {
  for (const char* key : {"num_heads", "args.num_heads", "args.nhead", "args.heads"}) {
    Checkpoint checkpoint = plainVit({.width = 128, .depth = 4});
    checkpoint.metadata[key] = "8";
    EXPECT_THAT(identifyModel(checkpoint).heads, ElementsAre(8)) << key;
    EXPECT_THAT(undeterminedOf(checkpoint), Not(Contains("heads"))) << key;
  }
}

TEST(VitSettings, AnOptionThatCannotBeIsRefusedInWords) {
  const Checkpoint checkpoint = plainVit({.width = 128, .depth = 4});
  ModelRequest request;
  request.norm = "none";
  EXPECT_THAT(objectionTo(checkpoint, request), HasSubstr("--norm is pre or post"));
  request = {};
  request.heads = HeadCounts({2, 4});
  EXPECT_THAT(objectionTo(checkpoint, request), HasSubstr("--heads 2,4 has 2 numbers"));
}

TEST(VitSettings, SigLipAndOneOfTimmsDifferInTheirHeadsAlone) {
  const PlainVit patchesAlone{.width = 768, .classToken = false};
  const ModelSummary summary = identifyModel(plainVit(patchesAlone));
  EXPECT_THAT(summary.heads, ElementsAre(12));
  EXPECT_THAT(undeterminedOf(plainVit(patchesAlone)), Contains("heads"));
  EXPECT_EQ(summary.headsAlternatives.at(1), 16);
  const auto called = [&](const char* name) { return identifyModel(plainVit(patchesAlone, name)); };
  EXPECT_THAT(called("vit_base_patch16_gap_224.pth").heads, ElementsAre(16));
  EXPECT_EQ(called("vit_base_patch16_gap_224.pth").headsConfidence, 1);
  EXPECT_THAT(called("vit_base_patch16_siglip_gap_224.webli.pth").heads, ElementsAre(12));
  EXPECT_EQ(called("vit_base_patch16_siglip_gap_224.webli.pth").headsConfidence, 1);
}

TEST(VitSettings, ANameCountsOnlyForItsOwnSizes) {
  const PlainVit small{.width = 192, .depth = 4};
  EXPECT_THAT(undeterminedOf(plainVit(small, "vit_base_patch16_224.pth")), Contains("heads"));
  EXPECT_THAT(undeterminedOf(plainVit(small, "vit_tiny_patch16_224.pth")), Contains("heads"));
}

TEST(VitSettings, ClipWasTrainedWithTwoActivations) {
  const PlainVit clip{.width = 768, .patch = 32, .normBefore = true, .side = 7};
  EXPECT_THAT(undeterminedOf(plainVit(clip)), ElementsAre("activation"));
  EXPECT_THAT(identifyModel(plainVit(clip)).setting("activation")->choices, Contains("quick_gelu"));
  EXPECT_EQ(identifyModel(plainVit(clip)).setting("mean")->value, "clip");
  const char* quick = "vit_base_patch32_clip_quickgelu_224.openai.safetensors";
  EXPECT_EQ(identifyModel(plainVit(clip, quick)).setting("activation")->value, "quick_gelu");
  EXPECT_THAT(undeterminedOf(plainVit(clip, quick)), IsEmpty());
  const char* exact = "vit_base_patch32_clip_224.laion2b.safetensors";
  EXPECT_EQ(identifyModel(plainVit(clip, exact)).setting("activation")->value, "gelu");
  EXPECT_THAT(undeterminedOf(plainVit(clip, exact)), IsEmpty());
}

TEST(VitSettings, ResidualPostNormIsRefusedByNameOrLayout) {
  const PlainVit layout{
      .width = 768, .classToken = false, .queryKeyValueBias = false, .poolingNorm = true};
  for (const char* name : {"vit_base_patch16_rpn_224.sw_in1k.safetensors", "checkpoint.pth"}) {
    EXPECT_THAT(objectionTo(plainVit(layout, name)),
                AllOf(HasSubstr("vit_base_patch16_rpn_224"), HasSubstr("--norm")))
        << name;
    ModelRequest request;
    request.norm = "pre";
    EXPECT_EQ(objectionTo(plainVit(layout, name), request), "");
  }
  Checkpoint told = plainVit({.width = 192, .classToken = false, .poolingNorm = true});
  told.metadata["architecture"] = "vit_tiny_patch16_rpn_224";
  EXPECT_THAT(objectionTo(told), HasSubstr("residual post-norm"));

  const ExtendedCheckpoint file("golden/hub/timm_gap_fc_norm/model.safetensors", {});
  file.writeBeside("config.json", R"({"architecture": "vit_base_patch16_rpn_224"})");
  EXPECT_THROW(openModel(file.request()), ModelError);
}

TEST(VitSettings, NamesThatChangeTheComputationAreRefused) {
  const PlainVit layout{.width = 192};
  for (const char* name :
       {"vit_base_patch16_rope_224", "vit_medium_patch16_rope_reg1_gap_256",
        "vit_pe_core_base_patch16_224", "vit_relpos_base_patch16_224", "vit_base_patch16_xp_224",
        "vit_dwee_patch16_reg1_gap_256", "beit3_base_patch16_224", "test_vit4", "qwen3_vit_88m",
        "vit_base_patch16_rpn_224"}) {
    EXPECT_THAT(objectionTo(plainVit(layout, std::string(name) + ".safetensors")),
                AllOf(HasSubstr("does not compute"), HasSubstr("--norm")))
        << name;
  }
  EXPECT_EQ(objectionTo(plainVit(layout, "vit_tiny_patch16_224.safetensors")), "");
}

TEST(VitSettings, NamesThatChangeTheComputationAreRefusedOfWhatIsReadByStructure) {
  // test_vit4 has no biases in its norms.
  const auto withoutNormBiases = [](const std::string& path) {
    const Checkpoint whole = plainVit({.width = 64, .depth = 8}, path);
    Checkpoint checkpoint;
    checkpoint.path = path;
    for (const StateDict::Entry& entry : whole.state.entries()) {
      const bool isBias = entry.name.ends_with("norm1.bias") ||
                          entry.name.ends_with("norm2.bias") || entry.name == "norm.bias";
      if (!isBias) checkpoint.state.insert(entry.name, entry.tensor);
    }
    return checkpoint;
  };
  ASSERT_EQ(identifyModel(withoutNormBiases("checkpoint.pth")).family, "structure");
  EXPECT_THAT(objectionTo(withoutNormBiases("test_vit4.r160_in1k.safetensors")),
              AllOf(HasSubstr("root mean square"), HasSubstr("does not compute")));
  ModelRequest request;
  request.normWithoutBias = "rms";
  EXPECT_EQ(objectionTo(withoutNormBiases("test_vit4.pth"), request), "");
}

struct NamedMean {
  const char* name;
  const char* mean;

  friend void PrintTo(const NamedMean& named, std::ostream* stream) { *stream << named.name; }
};

class NamedMeanTest : public ::testing::TestWithParam<NamedMean> {};

TEST_P(NamedMeanTest, IsWhatTheNetworkOfThatNameIsFedWith) {
  const auto& [name, mean] = GetParam();
  const ModelSummary summary = identifyModel(plainVit({}, name));
  EXPECT_EQ(summary.setting("mean")->value, mean);
  EXPECT_EQ(summary.setting("std")->value, mean);
  EXPECT_THAT(summary.setting("mean")->source, HasSubstr("the file is called"));
  EXPECT_THAT(undeterminedOf(plainVit({.width = 768}, name)), Not(Contains("mean")));
}

INSTANTIATE_TEST_SUITE_P(
    Timm, NamedMeanTest,
    ::testing::Values(NamedMean{"vit_tiny_patch16_224.augreg_in21k_ft_in1k.safetensors", "half"},
                      NamedMean{"vit_tiny_patch16_224.augreg_in21k.pth", "half"},
                      NamedMean{"vit_tiny_patch16_224.orig_in21k.bin", "half"},
                      NamedMean{"vit_tiny_patch16_224.sam_in1k.pth", "half"},
                      NamedMean{"vit_tiny_patch16_224.dino.pth", "imagenet"},
                      NamedMean{"vit_tiny_patch16_224.mae.pth.tar", "imagenet"},
                      NamedMean{"vit_tiny_patch16_224.bamboo.pth", "clip"},
                      NamedMean{"deit_tiny_patch16_224-a1311bcf.pth", "imagenet"},
                      NamedMean{"deit_tiny_patch16_224.fb_in1k.safetensors", "imagenet"},
                      NamedMean{"deit_tiny_distilled_patch16_224-b40b3cf7.pth", "imagenet"},
                      NamedMean{"dino_deitsmall16_pretrain.pth", "imagenet"},
                      NamedMean{"dino_vitbase8_pretrain_full_checkpoint.pth", "imagenet"},
                      NamedMean{"mae_pretrain_vit_large.pth", "imagenet"},
                      NamedMean{"mae_finetuned_vit_base.pth", "imagenet"}));

TEST(VitSettings, AMethodsNameInFrontTellsNoMean) {
  for (const char* name : {"dino_vit.pth", "dino_x.pth", "dino_cats_pretrain.pth", "mae_x.pth",
                           "mae_pretrain_vit_cats.pth", "ibot_y.pth", "moco_run3.pth",
                           "deit_base_cats.pth", "deit_small.pth", "deit3_mine.pth"}) {
    EXPECT_THAT(undeterminedOf(plainVit({.width = 768}, name)), ElementsAre("mean", "std")) << name;
  }
}

TEST(VitSettings, ANameWithoutATagTellsNoMean) {
  EXPECT_THAT(undeterminedOf(plainVit({}, "vit_tiny_patch16_224.pth")), ElementsAre("mean", "std"));
}

TEST(VitSettings, ConfigurationsTellTheirFile) {
  const ExtendedCheckpoint file("golden/deit/checkpoint.pth", {});
  file.writeBeside("config.json", R"({"architecture": "vit_small_patch16_224", "global_pool": "avg",
    "model_args": {"embed_dim": 128, "num_heads": 4, "act_layer": "relu"},
    "pretrained_cfg": {"tag": "augreg_in1k", "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5]}})");
  const ModelSummary summary = identifyModel(file.request());
  EXPECT_THAT(summary.undetermined(), IsEmpty());
  EXPECT_EQ(summary.setting("activation")->value, "relu");
  EXPECT_EQ(summary.setting("pooling")->value, "mean");
  for (const char* option : {"heads", "activation", "pooling", "mean", "std"}) {
    EXPECT_EQ(summary.setting(option)->source, "from config.json") << option;
  }
  file.writeBeside("config.json", R"({"hidden_size": 128, "layer_norm_eps": 1e-5})");
  file.writeBeside("preprocessor_config.json",
                   R"({"image_mean": [0, 0, 0], "image_std": [1, 1, 1]})");
  const ModelSummary other = identifyModel(file.request());
  EXPECT_EQ(other.setting("epsilon")->value, "1e-05");
  EXPECT_EQ(other.setting("mean")->source, "from preprocessor_config.json");
  EXPECT_THAT(guessedOptions(other), AllOf(Contains("heads"), Not(Contains("epsilon"))));
}

/// DeiT's golden weights through plain products in float64, with one thing otherwise.
torch::Tensor plainLogits(const StateDict& state, const torch::Tensor& picture,
                          const ModelRequest& request) {
  const auto at = [&](const std::string& name) { return state.find(name)->to(torch::kFloat64); };
  const double epsilon = request.epsilon ? std::stod(*request.epsilon) : 1e-6;
  const std::string activation = request.activation.value_or("gelu");
  const bool post = request.norm == "post";
  const auto norm = [&](const torch::Tensor& x, const std::string& name) {
    const torch::Tensor centred = x - x.mean(-1, true);
    return centred / ((centred * centred).mean(-1, true) + epsilon).sqrt() * at(name + ".weight") +
           at(name + ".bias");
  };
  const auto linear = [&](const torch::Tensor& x, const std::string& name) {
    return x.matmul(at(name + ".weight").t()) + at(name + ".bias");
  };
  const auto activate = [&](const torch::Tensor& x) -> torch::Tensor {
    if (activation == "relu") return x * (x > 0);
    if (activation == "silu") return x / (1 + (-x).exp());
    if (activation == "quick_gelu") return x / (1 + (-1.702 * x).exp());
    if (activation == "gelu_tanh") {
      return 0.5 * x * (1 + (std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)).tanh());
    }
    return 0.5 * x * (1 + torch::erf(x / std::sqrt(2.0)));
  };
  const torch::Tensor pixels = picture.to(torch::kFloat64)
                                   .view({3, 4, 16, 6, 16})
                                   .permute({1, 3, 0, 2, 4})
                                   .reshape({24, 768});
  const torch::Tensor patches = pixels.matmul(at("patch_embed.proj.weight").view({128, 768}).t()) +
                                at("patch_embed.proj.bias");
  torch::Tensor x = torch::cat({at("cls_token")[0], patches}) + at("pos_embed")[0];
  for (const std::string block : {"blocks.0.", "blocks.1."}) {
    const torch::Tensor all =
        linear(post ? x : norm(x, block + "norm1"), block + "attn.qkv").view({25, 3, 2, 64});
    std::vector<torch::Tensor> heads;
    for (std::int64_t head = 0; head < 2; ++head) {
      const auto part = [&](std::int64_t i) { return all.select(1, i).select(1, head); };
      heads.push_back(part(0).matmul(part(1).t()).div(8).softmax(-1).matmul(part(2)));
    }
    x = x + linear(torch::cat(heads, 1), block + "attn.proj");
    if (post) x = norm(x, block + "norm1");
    const torch::Tensor hidden = linear(post ? x : norm(x, block + "norm2"), block + "mlp.fc1");
    x = x + linear(activate(hidden), block + "mlp.fc2");
    if (post) x = norm(x, block + "norm2");
  }
  x = norm(x, "norm");
  return linear(request.pooling == "mean" ? x.slice(0, 1).mean(0) : x[0], "head");
}

TEST(VitSettings, AreWhatIsComputed) {
  std::vector<ModelRequest> requests(7);
  requests[1].activation = "relu";
  requests[2].activation = "silu";
  requests[3].activation = "quick_gelu";
  requests[4].activation = "gelu_tanh";
  requests[5].norm = "post";
  requests[6].epsilon = "0.01";
  requests[6].pooling = "mean";
  std::vector<float> usual;
  for (const ModelRequest& request : requests) {
    const Golden golden("deit", request);
    const StateDict state = readCheckpoint(golden.path("checkpoint.pth")).state;
    InputTensor input = golden.input();
    const torch::Tensor picture = torch::from_blob(input.values.data(), {3, 64, 96}).clone();
    const torch::Tensor expected = plainLogits(state, picture, request);
    const std::vector<float>& logits = golden.inspection->logits;
    double distance = 0;
    for (std::int64_t i = 0; i < expected.size(0); ++i) {
      EXPECT_NEAR(logits[static_cast<std::size_t>(i)], expected[i].item<double>(), 1e-4);
      if (!usual.empty()) {
        distance +=
            std::abs(logits[static_cast<std::size_t>(i)] - usual[static_cast<std::size_t>(i)]);
      }
    }
    if (usual.empty()) {
      usual = logits;
    } else {
      EXPECT_GT(distance, 1e-3) << "the setting changes nothing";
    }
  }
}

/// A class token and 15 patches, which form no square, have as many positions as 16 patches alone.
TEST(VitSettings, PositionsThatFormASquareBesideAClassTokenAreAGuess) {
  Checkpoint checkpoint = plainVit({.width = 128, .depth = 2, .side = 4});
  checkpoint.state.insert("pos_embed", torch::zeros({1, 16, 128}));
  const ModelSummary summary = identifyModel(checkpoint);
  const NetworkSetting& guessed = *summary.setting("prefix-positions");
  EXPECT_EQ(guessed.value, "1");
  EXPECT_THAT(guessed.choices, ElementsAre("1", "0"));
  EXPECT_THAT(guessed.why, HasSubstr("16 positions"));
  EXPECT_EQ(summary.transform.height, 48);
  EXPECT_EQ(summary.transform.width, 80);
  ModelRequest request;
  request.prefixPositions = "0";
  const ModelSummary chosen = identifyModel(checkpoint, request);
  EXPECT_THAT(undeterminedOf(checkpoint, request), Not(Contains("prefix-positions")));
  EXPECT_EQ(chosen.transform.height, 64);
  EXPECT_EQ(chosen.transform.width, 64);
  EXPECT_THAT(chosen.wrongShape, IsEmpty());
  checkpoint.metadata["prefix-positions"] = "0";
  EXPECT_EQ(identifyModel(checkpoint).transform.width, 64);
  EXPECT_EQ(
      identifyModel(plainVit({.width = 128, .depth = 2, .side = 4})).setting("prefix-positions"),
      nullptr)
      << "17 positions are of a class token and a square";
}

TEST(VitSettings, TwoTokensBeforeThePatchesMayLackPositionsLikewise) {
  Checkpoint checkpoint = plainVit({.width = 128, .depth = 2, .side = 4});
  checkpoint.state.insert("pos_embed", torch::zeros({1, 16, 128}));
  checkpoint.state.insert("dist_token", torch::zeros({1, 1, 128}));
  EXPECT_THAT(identifyModel(checkpoint).setting("prefix-positions")->choices,
              ElementsAre("2", "0"));
}

/// The published FlexiViT, DeiT-3 and networks with registers have a place for patches alone, which
/// is no guess.
TEST(VitSettings, PositionsOfPublishedLayoutsAreNoGuess) {
  Checkpoint flexible = plainVit({.width = 384, .side = 15});
  flexible.state.insert("pos_embed", torch::zeros({1, 225, 384}));
  Checkpoint scaled = plainVit({.width = 384});
  scaled.state.insert("pos_embed", torch::zeros({1, 196, 384}));
  for (int i = 0; i < 12; ++i) {
    for (const char* scale : {".ls1.gamma", ".ls2.gamma"}) {
      scaled.state.insert("blocks." + std::to_string(i) + scale, torch::zeros({384}));
    }
  }
  for (const Checkpoint& checkpoint : {flexible, scaled}) {
    EXPECT_EQ(identifyModel(checkpoint).setting("prefix-positions"), nullptr);
    EXPECT_THAT(identifyModel(checkpoint).wrongShape, IsEmpty());
  }
}

TEST(VitSettings, AnActivationThatIsNotComputedGivesWayToTheUsers) {
  const ExtendedCheckpoint file("golden/deit/checkpoint.pth", {});
  file.writeBeside("config.json", R"({"hidden_size": 128, "hidden_act": "mish"})");
  EXPECT_THROW(identifyModel(file.request()), ModelError);
  ModelRequest request = file.request();
  request.activation = "gelu";
  EXPECT_EQ(identifyModel(request).setting("activation")->value, "gelu");
}

TEST(VitSettings, PositionsThatFormNoSquareMayBeOfPatchesAloneIfAnythingSaysSo) {
  const ExtendedCheckpoint file("golden/deit/checkpoint.pth", {});
  Checkpoint checkpoint = plainVit({.width = 128, .depth = 2, .side = 4});
  checkpoint.path = file.request().path;
  EXPECT_EQ(identifyModel(checkpoint).setting("prefix-positions"), nullptr);
  ModelRequest request;
  request.prefixPositions = "0";
  EXPECT_EQ(identifyModel(checkpoint, request).setting("prefix-positions")->value, "0");
  checkpoint.metadata["prefix-positions"] = "0";
  EXPECT_EQ(identifyModel(checkpoint).setting("prefix-positions")->value, "0");
  checkpoint.metadata.clear();
  file.writeBeside("config.json", R"({"hidden_size": 128, "no_embed_class": true})");
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_EQ(summary.setting("prefix-positions")->value, "0");
  EXPECT_EQ(summary.setting("prefix-positions")->source, "from config.json");
  EXPECT_THAT(summary.wrongShape, IsEmpty());
}

TEST(VitSettings, OpenClipsPoolTypeIsNoWordOfTimms) {
  const ExtendedCheckpoint file("golden/deit/checkpoint.pth", {});
  file.writeBeside("open_clip_config.json", R"({"model_cfg": {"vision_cfg":
      {"width": 128, "head_width": 64, "pool_type": "avg"}}})");
  const ModelSummary summary = identifyModel(file.request());
  EXPECT_EQ(summary.setting("pooling")->value, "cls");
  EXPECT_EQ(summary.setting("heads")->source, "from open_clip_config.json") << "it is read";
}

TEST(VitSettings, AMaskInTheAttentionIsRefused) {
  Checkpoint checkpoint = plainVit({.width = 64, .depth = 2, .patch = 8, .side = 4});
  for (const char* block : {"blocks.0.", "blocks.1."}) {
    checkpoint.state.insert(std::string(block) + "attn.mask", torch::ones({17, 17}));
  }
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_EQ(summary.family, "deit");
  EXPECT_THAT(summary.foreign, ElementsAre("blocks.0.attn.mask", "blocks.1.attn.mask"));
}

TEST(VitSettings, AnyPoolingMayPrecedeANormOfWhatIsPooled) {
  const PlainVit own{.width = 192, .depth = 4, .poolingNorm = true};
  const ModelSummary summary = identifyModel(plainVit(own));
  EXPECT_THAT(guessedOptions(summary), Contains("pooling"));
  EXPECT_THAT(summary.setting("pooling")->choices, ElementsAre("mean", "cls", "max", "avgmax"));
  ModelRequest request;
  request.pooling = "cls";
  EXPECT_EQ(identifyModel(plainVit(own), request).setting("pooling")->value, "cls");
  const PlainVit patchesAlone{.width = 192, .depth = 4, .classToken = false};
  EXPECT_THAT(identifyModel(plainVit(patchesAlone)).setting("pooling")->choices,
              ElementsAre("mean", "max", "avgmax"));
  const PlainVit published{.width = 192, .poolingNorm = true};
  EXPECT_EQ(identifyModel(plainVit(published)).setting("pooling")->source, "by fc_norm");
  request.pooling = "max";
  EXPECT_TRUE(identifyModel(plainVit(published), request).counterfactual);
}

TEST(VitSettings, WithANormOfWhatIsPooledItMayBeAnEvaThatRotates) {
  const PlainVit own{.width = 192, .depth = 4, .poolingNorm = true};
  Checkpoint checkpoint = plainVit(own);
  EXPECT_THAT(undeterminedOf(checkpoint), Contains("use_rot_pos_emb"));
  checkpoint.metadata["use_rot_pos_emb"] = "true";
  EXPECT_THAT(objectionTo(checkpoint), HasSubstr("use_rot_pos_emb is true"));
  checkpoint.metadata["use_rot_pos_emb"] = "false";
  EXPECT_THAT(undeterminedOf(checkpoint), Not(Contains("use_rot_pos_emb")));
  EXPECT_THAT(undeterminedOf(plainVit({.width = 192, .poolingNorm = true})),
              Not(Contains("use_rot_pos_emb")));
}

/// Timm's ViT whose mlps have two halves in their first product.
Checkpoint gatedVit() {
  Checkpoint checkpoint = plainVit({.width = 192, .depth = 2, .hidden = 128});
  for (const char* block : {"blocks.0.", "blocks.1."}) {
    checkpoint.state.insert(std::string(block) + "mlp.fc2.weight", torch::zeros({192, 64}));
  }
  return checkpoint;
}

TEST(VitSettings, TheHalfThatIsAGateIsNotTold) {
  Checkpoint checkpoint = gatedVit();
  EXPECT_THAT(undeterminedOf(checkpoint), AllOf(Contains("activation"), Contains("gate_last")));
  checkpoint.metadata = {{"gate_last", "true"}, {"activation", "gelu"}};
  const ModelSummary told = identifyModel(checkpoint);
  EXPECT_EQ(told.setting("gate_last")->value, "true");
  EXPECT_EQ(told.setting("activation")->value, "gelu");
  EXPECT_THAT(undeterminedOf(checkpoint), Not(Contains("gate_last")));
}

TEST(VitSettings, AGateInTheSecondHalfSwapsTheHalves) {
  torch::manual_seed(4);
  const torch::NoGradGuard noGradients;
  VitConfiguration configuration = smallVit();
  configuration.classes = 3;
  configuration.isGated = true;
  configuration.patch = 16;
  configuration.positions = 4;
  VitNetwork first(configuration);
  configuration.isGateLast = true;
  VitNetwork last(configuration);
  auto parameters = last.named_parameters();
  for (const auto& parameter : first.named_parameters()) {
    parameter.value().copy_(0.3 * torch::randn_like(parameter.value()));
    const bool isExpanding = parameter.key().find("mlp.fc1") != std::string::npos;
    const torch::Tensor& from = parameter.value();
    parameters[parameter.key()].copy_(isExpanding ? from.roll(from.size(0) / 2, 0) : from);
  }
  const torch::Tensor picture = torch::randn({1, 3, 32, 32});
  const torch::Tensor expected = first.forward(picture, nullptr);
  EXPECT_TRUE(last.forward(picture, nullptr).allclose(expected, 1e-5, 1e-5));
  EXPECT_GT(expected.abs().max().item<float>(), 1e-3);
}

/// Returns why that gated network is refused beside such a config.json, or what of it is a guess.
std::string guessesOfGate(const ExtendedCheckpoint& file, const std::string& arguments) {
  Checkpoint checkpoint = gatedVit();
  checkpoint.path = file.request().path;
  file.writeBeside("config.json", R"({"architecture": "vit_base_patch16_224", "model_args":
      {"embed_dim": 192, "num_heads": 3)" +
                                      arguments + "}}");
  const std::string objection = objectionTo(checkpoint);
  if (!objection.empty()) return objection;
  const ModelSummary summary = identifyModel(checkpoint);
  std::string text =
      summary.setting("gate_last")->value + " " + summary.setting("activation")->value;
  for (const std::string& option : undeterminedOf(checkpoint)) text += " " + option + "?";
  return text;
}

/// timm gives GluMlp and SwiGLUPacked the network's activation, whatever theirs is by themselves.
TEST(VitSettings, TheClassOfAnMlpTellsItsGateAndANameDoesNot) {
  const ExtendedCheckpoint file("golden/deit/checkpoint.pth", {});
  const auto beside = [&](const std::string& arguments) { return guessesOfGate(file, arguments); };
  EXPECT_EQ(beside(R"(, "mlp_layer": "GluMlp")").find("true gelu"), 0U);
  EXPECT_EQ(beside(R"(, "mlp_layer": "timm.layers.SwiGLUPacked")").find("false gelu"), 0U);
  EXPECT_EQ(beside(R"(, "mlp_layer": "GluMlp", "act_layer": "silu")").find("true silu"), 0U);
  EXPECT_THAT(beside(R"(, "mlp_layer": "GluMlp")"),
              AllOf(Not(HasSubstr("gate_last?")), Not(HasSubstr("activation?"))));
  EXPECT_THAT(beside(""), AllOf(HasSubstr("gate_last?"), HasSubstr("activation?")))
      << "no network of this name has gates";
  EXPECT_THAT(beside(R"(, "mlp_layer": "Mlp")"), HasSubstr("mlp_layer 'Mlp'"));
  EXPECT_THAT(beside(R"(, "mlp_layer": "SwiGLU")"), HasSubstr("mlp_layer 'SwiGLU'"))
      << "which has two products in place of one";
}

TEST(VitSettings, PublishedGatesAreToldByTheirName) {
  Checkpoint checkpoint = gatedVit();
  const ExtendedCheckpoint file("golden/deit/checkpoint.pth", {});
  checkpoint.path = file.request().path;
  file.writeBeside("config.json", R"({"architecture": "vit_giant_patch14_dinov2", "model_args":
      {"embed_dim": 192, "num_heads": 3}})");
  EXPECT_EQ(identifyModel(checkpoint).setting("gate_last"), nullptr);
  file.writeBeside("config.json", R"({"architecture": "vit_giant_patch14_dinov2", "model_args":
      {"embed_dim": 192, "num_heads": 3, "act_layer": "relu"}})");
  EXPECT_EQ(identifyModel(checkpoint).setting("activation")->value, "relu");
  EXPECT_THAT(undeterminedOf(checkpoint), Not(Contains("gate_last")));
}

TEST(VitSettings, BlocksThatConfigurationsNameOtherwiseAreRefused) {
  const ExtendedCheckpoint file("golden/deit/checkpoint.pth", {});
  Checkpoint checkpoint = plainVit({.width = 192, .depth = 2});
  checkpoint.path = file.request().path;
  const auto beside = [&](const std::string& argument) {
    file.writeBeside("config.json", R"({"architecture": "vit_base_patch16_224", "model_args":
        {"embed_dim": 192, "num_heads": 3, )" +
                                        argument + "}}");
    return objectionTo(checkpoint);
  };
  EXPECT_THAT(beside(R"("block_fn": "<class 'timm.models.vision_transformer.ResPostBlock'>")"),
              HasSubstr("block_fn"));
  ModelRequest request;
  request.norm = "pre";
  EXPECT_EQ(objectionTo(checkpoint, request), "");
  EXPECT_THAT(beside(R"("attn_layer": "diff")"), HasSubstr("attn_layer 'diff'"));
  EXPECT_THAT(beside(R"("norm_layer": "simplenorm")"), HasSubstr("norm_layer 'simplenorm'"));
  EXPECT_THAT(beside(R"json("norm_layer": "partial(LayerNorm, eps=1e-3)")json"),
              HasSubstr("norm_layer"));
  EXPECT_EQ(
      beside(
          R"json("norm_layer": "functools.partial(<class 'torch.nn.LayerNorm'>, eps=1e-06)")json"),
      "");
  EXPECT_THAT(beside(R"("norm_layer": "rmsnorm")"), HasSubstr("--arch structure"));
  EXPECT_EQ(beside(R"("block_fn": "Block", "attn_layer": "attn", "norm_layer": "layer_norm",
                      "mlp_layer": "timm.layers.mlp.Mlp", "embed_layer": "PatchEmbed")"),
            "");
}

TEST(VitSettings, ANormBeforeTheBlocksHasClipsEpsilonInClipAlone) {
  const ExtendedCheckpoint file("golden/deit/checkpoint.pth", {});
  Checkpoint checkpoint = plainVit({.width = 192, .depth = 2, .normBefore = true});
  checkpoint.path = file.request().path;
  for (const auto& [name, epsilon] : {std::pair{"vit_base_patch16_224", "1e-06"},
                                      std::pair{"vit_base_patch16_clip_224", "1e-05"}}) {
    file.writeBeside("config.json", std::string(R"({"architecture": ")") + name +
                                        R"(", "model_args": {"embed_dim": 192, "num_heads": 3}})");
    EXPECT_EQ(identifyModel(checkpoint).setting("epsilon")->value, epsilon) << name;
  }
}

/// The network test_vit3: a pool that attends to the register as well as to the patches.
Checkpoint poolBesideARegister(int depth) {
  Checkpoint checkpoint =
      plainVit({.width = 96, .depth = depth, .hidden = 192, .classToken = false});
  checkpoint.state.insert("reg_token", torch::zeros({1, 1, 96}));
  checkpoint.state.insert("pos_embed", torch::zeros({1, 197, 96}));
  checkpoint.state.insert("attn_pool.latent", torch::zeros({1, 1, 96}));
  return checkpoint;
}

constexpr const char* poolsPrefix = "pool_include_prefix";

TEST(VitSettings, APoolSeesARegisterWhereSizesSayIt) {
  Checkpoint checkpoint = poolBesideARegister(9);
  EXPECT_EQ(identifyModel(checkpoint, {}).setting(poolsPrefix)->value, "true");
  EXPECT_THAT(undeterminedOf(checkpoint), Not(Contains(poolsPrefix)));
  checkpoint.metadata[poolsPrefix] = "false";
  EXPECT_EQ(identifyModel(checkpoint, {}).setting(poolsPrefix)->value, "false");
}

TEST(VitSettings, WhetherAPoolSeesTokensBesideThePatchesIsAssumedWhereNothingTells) {
  Checkpoint pool = poolBesideARegister(2);
  const ModelSummary summary = identifyModel(pool, {});
  EXPECT_EQ(summary.setting(poolsPrefix)->value, "false");
  EXPECT_THAT(undeterminedOf(pool), Contains(poolsPrefix));
  pool.metadata[poolsPrefix] = "true";
  EXPECT_EQ(identifyModel(pool, {}).setting(poolsPrefix)->source, "from the file's metadata");
  const PlainVit mean{.width = 192, .depth = 4, .poolingNorm = true};
  EXPECT_THAT(undeterminedOf(plainVit(mean)), Contains(poolsPrefix));
  ModelRequest classToken;
  classToken.pooling = "cls";
  EXPECT_THAT(undeterminedOf(plainVit(mean), classToken), Not(Contains(poolsPrefix)));
  const PlainVit alone{.width = 192, .depth = 4, .classToken = false, .poolingNorm = true};
  EXPECT_THAT(undeterminedOf(plainVit(alone)), Not(Contains(poolsPrefix)));
  EXPECT_THAT(undeterminedOf(plainVit({.poolingNorm = true})), Not(Contains(poolsPrefix)))
      << "which sizes tell";
}

TEST(VitSettings, NormsWithinAttentionAndMlpAreThoseOfBeit3AtItsSizes) {
  const auto withNorms = [](const PlainVit& sizes, const std::string& path) {
    Checkpoint checkpoint = plainVit(sizes, path);
    for (int i = 0; i < sizes.depth; ++i) {
      const std::string block = "blocks." + std::to_string(i) + ".";
      for (const char* end : {".weight", ".bias"}) {
        checkpoint.state.insert(block + "attn.norm" + end, torch::zeros({sizes.width}));
        checkpoint.state.insert(block + "mlp.norm" + end, torch::zeros({4 * sizes.width}));
      }
    }
    return checkpoint;
  };
  const Checkpoint published =
      withNorms({.width = 768, .poolingNorm = true}, "beit3_base_patch16_224.safetensors");
  const ModelSummary summary = identifyModel(published, {});
  EXPECT_EQ(summary.family, "vit");
  EXPECT_EQ(summary.variant, "custom");
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_THAT(summary.foreign, IsEmpty());
  EXPECT_EQ(summary.setting("epsilon")->value, "1e-05");
  EXPECT_THAT(undeterminedOf(published), IsEmpty());
  EXPECT_THAT(undeterminedOf(withNorms({.width = 48, .depth = 2}, "own.pth")), Contains("epsilon"));
}

TEST(VitSettings, BlocksWhoseNormsAllLackABiasAreReadByStructure) {
  const Checkpoint plain = plainVit({.width = 48, .depth = 2});
  Checkpoint checkpoint;
  checkpoint.path = plain.path;
  for (const StateDict::Entry& entry : plain.state.entries()) {
    if (entry.name.find("norm") != std::string::npos && entry.name.ends_with(".bias")) continue;
    checkpoint.state.insert(entry.name, entry.tensor);
  }
  const ModelSummary summary = identifyModel(checkpoint, {});
  EXPECT_EQ(summary.family, "structure");
  EXPECT_THAT(summary.missing, IsEmpty());
  ASSERT_NE(summary.setting("norm-without-bias"), nullptr);
  EXPECT_THAT(summary.setting("norm-without-bias")->choices, Contains("rms"));
}

TEST(VitSettings, ANormOfWhatIsPooledFollowsTheAttentionPool) {
  torch::manual_seed(5);
  const torch::NoGradGuard noGradients;
  StateDict parts;
  parts.insert("attn_pool.latent", torch::zeros({1, 1, 64}));
  parts.insert("fc_norm.weight", torch::zeros({64}));
  VitConfiguration configuration = smallVit();
  configuration.names = timmNames(parts);
  configuration.names.blocks = {"blocks.0"};
  configuration.pooling = VitPooling::Attention;
  configuration.poolHidden = 64;
  configuration.classes = 3;
  configuration.positions = 4;
  VitNetwork network(configuration);
  auto parameters = network.named_parameters();
  for (const auto& parameter : parameters) {
    parameter.value().copy_(0.3 * torch::randn_like(parameter.value()));
  }
  // Whatever is pooled, a norm without weights leaves its bias.
  parameters["fc_norm.weight"].zero_();
  const torch::Tensor expected =
      parameters["head.weight"].matmul(parameters["fc_norm.bias"]) + parameters["head.bias"];
  const torch::Tensor logits = network.forward(torch::randn({1, 3, 32, 32}), nullptr);
  EXPECT_TRUE(logits.squeeze(0).allclose(expected, 1e-5, 1e-5));
}

TEST(VitSettings, ANormBesideAHeadOfTwiceTheWidthIsRefused) {
  Checkpoint checkpoint = plainVit({.width = 192, .depth = 4, .poolingNorm = true});
  checkpoint.state.insert("head.weight", torch::zeros({10, 384}));
  EXPECT_THAT(objectionTo(checkpoint), HasSubstr("which half fc_norm acts on"));
}

TEST(VitSettings, PicturesThatDoNotFitAreToldOfPositionsOfPatchesAlone) {
  VitConfiguration configuration = smallVit();
  configuration.prefixPositions = 1;
  configuration.positions = 15;
  try {
    VitNetwork(configuration).checkInputSize(64, 64);
    FAIL();
  } catch (const InspectionError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--prefix-positions 0"));
  }
}

TEST(VitSettings, PositionsOfPicturesThatAreNotSquareLieAsConfigurationsSay) {
  const ExtendedCheckpoint file("golden/deit/checkpoint.pth", {});
  Checkpoint checkpoint = plainVit({.width = 128, .depth = 2, .side = 4});
  checkpoint.path = file.request().path;
  EXPECT_EQ(identifyModel(checkpoint).transform.width, 64);
  EXPECT_EQ(identifyModel(checkpoint).setting("img_size"), nullptr);
  for (const char* text :
       {R"({"image_size": [32, 128]})", R"({"model_args": {"img_size": [32, 128]}})",
        R"({"pretrained_cfg": {"input_size": [3, 32, 128]}})"}) {
    SCOPED_TRACE(text);
    file.writeBeside("config.json", text);
    const ModelSummary summary = identifyModel(checkpoint);
    EXPECT_EQ(summary.setting("img_size")->value, "32,128");
    EXPECT_EQ(summary.setting("img_size")->source, "from config.json");
    EXPECT_EQ(summary.transform.height, 32);
    EXPECT_EQ(summary.transform.width, 128);
  }
  for (const char* text :
       {R"({"image_size": 64})", R"({"image_size": [64, 64]})", R"({"image_size": [16, 64]})",
        R"({"image_size": [32, 128], "hidden_size": 7})"}) {
    file.writeBeside("config.json", text);
    EXPECT_EQ(identifyModel(checkpoint).setting("img_size"), nullptr) << text;
  }
  std::filesystem::remove(file.beside("config.json"));
  checkpoint.metadata["img_size"] = "128,32";
  EXPECT_EQ(identifyModel(checkpoint).transform.height, 128);
}

TEST(VitSettings, PositionsOfAnOnlyGridAreAddedAsTheyAre) {
  torch::manual_seed(4);
  const torch::NoGradGuard noGradients;
  VitConfiguration configuration = smallVit();
  configuration.classes = 3;
  configuration.positions = 16;
  VitNetwork square(configuration);
  configuration.onlyGrid = {2, 8};
  VitNetwork wide(configuration);
  auto parameters = wide.named_parameters();
  for (const auto& parameter : square.named_parameters()) {
    parameter.value().copy_(0.3 * torch::randn_like(parameter.value()));
    if (parameter.key() == "patch_embed.proj.weight") parameter.value().zero_();
    parameters[parameter.key()].copy_(parameter.value());
  }
  const torch::Tensor expected = square.forward(torch::zeros({1, 3, 64, 64}), nullptr);
  EXPECT_TRUE(wide.forward(torch::zeros({1, 3, 32, 128}), nullptr).allclose(expected, 1e-5, 1e-5));
  EXPECT_THAT(test::messageOf<InspectionError>([&] { wide.checkInputSize(64, 64); }),
              HasSubstr("for 2 x 8 alone; choose --size 32x128"));
  EXPECT_NO_THROW(wide.checkInputSize(32, 128));
}

}  // namespace
}  // namespace softscope
