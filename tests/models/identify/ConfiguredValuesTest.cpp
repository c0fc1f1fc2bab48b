#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/Safetensors.h"
#include "core/network/Inspector.h"
#include "models/ConvertCheckpoint.h"
#include "models/OpenModel.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/ShapeReader.h"
#include "tests/core/checkpoint/TestFiles.h"
#include "tests/models/Golden.h"
#include "tests/models/identify/GuessedOptions.h"
#include "tests/models/identify/ReconfiguredCase.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace softscope {
namespace {

using test::guessedOptions;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

void expectNearLogits(const std::vector<float>& actual, const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  float largest = 0;
  for (const float value : expected) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], 1e-4f * largest) << i;
  }
}

/// A golden case with changed arguments, and what timm 1.0.31 computes with these.
struct ChangedArguments {
  const char* name;
  const char* changes;
  std::vector<float> logits;

  friend void PrintTo(const ChangedArguments& changed, std::ostream* stream) {
    *stream << changed.name << ' ' << changed.changes;
  }
};

class ChangedArgumentsTest : public ::testing::TestWithParam<ChangedArguments> {};

TEST_P(ChangedArgumentsTest, AreComputed) {
  const ReconfiguredCase changed(GetParam().name, GetParam().changes);
  const Golden golden(changed.path());
  expectNearLogits(golden.inspection->logits, GetParam().logits);
  EXPECT_FALSE(golden.model->summary().counterfactual);
}

// The old name and config.json are lost with conversion, and so would be what they alone tell.
TEST_P(ChangedArgumentsTest, AreKeptByConversion) {
  const ReconfiguredCase changed(GetParam().name, GetParam().changes);
  const Golden golden(changed.path());
  const TemporaryFolder folder;
  ModelRequest request;
  request.path = folder.file("converted.safetensors");
  convertCheckpoint(changed.request().path, request.path, {});
  const auto model = openModel(request);
  expectNearLogits(inspect(*model, golden.input())->logits, GetParam().logits);
  EXPECT_THAT(guessedOptions(model->summary()), Not(Contains(::testing::Truly(isToldByKey))));
}

constexpr const char* meanOfPatches =
    R"({"global_pool": "avg", "model_args": {"global_pool": "avg"}})";

INSTANTIATE_TEST_SUITE_P(
    Timm, ChangedArgumentsTest,
    ::testing::Values(
        ChangedArguments{"libraries/timm_cait",
                         meanOfPatches,
                         {-2.582433f, -1.125954f, -0.839708f, 1.257428f, 0.076952f, 0.132327f,
                          -1.035123f, -1.540550f, 0.764678f, 0.572588f}},
        ChangedArguments{"libraries/timm_convit",
                         meanOfPatches,
                         {0.239020f, 0.206199f, 0.169007f, 0.002291f, 1.497848f, -1.483807f,
                          0.412389f, 0.656250f, 0.595360f, -2.060812f}},
        ChangedArguments{"libraries/timm_xcit",
                         meanOfPatches,
                         {-1.273486f, 1.632818f, 0.350184f, 0.756180f, 0.210082f, -0.024577f,
                          -0.374098f, -1.670623f, 0.056534f, 0.746177f}},
        ChangedArguments{"libraries/timm_xcit",
                         R"({"model_args": {"tokens_norm": false}})",
                         {1.765211f, 1.616003f, -0.122218f, -0.379923f, 0.627412f, 0.871276f,
                          -0.194018f, -1.056112f, 1.223128f, 0.773429f}},
        ChangedArguments{"libraries/timm_xcit_nano",
                         R"({"model_args": {"tokens_norm": true}})",
                         {-2.931715f, -1.199838f, 0.788667f, -0.245355f, -2.478613f}},
        ChangedArguments{"hub/timm_gap_fc_norm",
                         R"({"global_pool": "token", "model_args": {"fc_norm": true}})",
                         {0.307436f, -3.026709f, -2.279538f, -0.241211f, 2.008288f, 2.011505f,
                          0.554493f, -1.524030f, -2.202282f, -0.542629f}},
        ChangedArguments{"hub/timm_gap_fc_norm",
                         R"({"global_pool": "max", "model_args": {"fc_norm": true}})",
                         {-0.541053f, -2.316445f, -1.393088f, -0.572777f, 2.194384f, 1.409746f,
                          0.609232f, -2.166927f, -1.825399f, 0.221838f}},
        ChangedArguments{"hub/timm_gap_fc_norm",
                         R"({"global_pool": "avgmax", "model_args": {"fc_norm": true}})",
                         {-0.247680f, -2.773930f, -1.513738f, -0.579734f, 2.465274f, 1.888119f,
                          0.296679f, -1.868856f, -1.818159f, 0.394521f}},
        ChangedArguments{"libraries/timm_beit_shared",
                         R"({"global_pool": "avg", "model_args": {"use_fc_norm": false}})",
                         {0.888692f, -0.712801f, -0.890463f, 1.248676f, 0.653170f, -0.134935f,
                          1.725554f, -0.333644f, -1.651547f, 0.771259f}},
        ChangedArguments{"libraries/timm_eva02",
                         R"({"model_args": {"rope_temperature": 100.0}})",
                         {1.142554f, -0.085982f, -2.608869f, 1.182792f, -0.512360f, 2.161548f,
                          0.721804f, 0.634624f, 0.733007f, 0.708602f}},
        ChangedArguments{"libraries/timm_eva02",
                         R"({"model_args": {"ref_feat_shape": [8, 8]}})",
                         {1.311920f, -0.452171f, -2.585968f, 1.227351f, -0.539947f, 1.978020f,
                          0.304016f, 0.956701f, 0.942190f, 0.422746f}},
        ChangedArguments{"libraries/timm_eva02",
                         R"({"model_args": {"use_rot_pos_emb": false}})",
                         {1.343082f, -0.623046f, -2.392015f, 1.424442f, -0.265783f, 2.199890f,
                          0.142820f, 1.289907f, 0.930533f, 0.274032f}},
        ChangedArguments{"libraries/timm_eva",
                         R"({"model_args": {"use_rot_pos_emb": true}})",
                         {0.830737f, -0.165539f, 1.427468f, 0.772745f, -0.331518f, -2.268018f,
                          0.172631f, 2.272161f, 0.547808f, -0.098922f}},
        ChangedArguments{"libraries/timm_dinov3",
                         R"({"model_args": {"rope_temperature": 10.0}})",
                         {0.273157f, -1.235317f, 1.498698f, -1.059388f, -1.140923f, 0.474873f,
                          0.307356f, 1.076833f, 2.173784f, 0.261114f}},
        ChangedArguments{"deit",
                         R"({"architecture": "vit_tiny_patch16_224", "model_args":
                             {"embed_dim": 128, "num_heads": 2, "no_embed_class": true}})",
                         {-2.896263f, -3.016953f, 0.412329f, 0.999635f, 2.010670f, -0.484770f,
                          -0.057149f, 1.737906f, -1.517304f, -0.541913f}},
        ChangedArguments{"deit",
                         R"({"architecture": "vit_tiny_patch16_224", "model_args":
                             {"embed_dim": 128, "num_heads": 2, "img_size": 80}})",
                         {-2.896263f, -3.016953f, 0.412329f, 0.999635f, 2.010670f, -0.484770f,
                          -0.057149f, 1.737906f, -1.517304f, -0.541913f}}));

/// A golden case with a value that is not computed, and the words that name it.
struct RefusedArguments {
  const char* name;
  const char* changes;
  const char* named;

  friend void PrintTo(const RefusedArguments& refused, std::ostream* stream) {
    *stream << refused.name << ' ' << refused.changes;
  }
};

class RefusedArgumentsTest : public ::testing::TestWithParam<RefusedArguments> {};

TEST_P(RefusedArgumentsTest, AreNamedInOneLine) {
  const ReconfiguredCase refused(GetParam().name, GetParam().changes);
  try {
    openModel(refused.request());
    ADD_FAILURE() << "opens all the same";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr(GetParam().named), HasSubstr("beside the file says"),
                                    HasSubstr("docs/python.md"), Not(HasSubstr("\n"))));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Libraries, RefusedArgumentsTest,
    ::testing::Values(
        RefusedArguments{"libraries/timm_cait", R"({"global_pool": "max"})",
                         R"(global_pool 'max')"},
        RefusedArguments{"libraries/timm_convit", R"({"global_pool": "map"})",
                         R"(global_pool 'map')"},
        RefusedArguments{"libraries/timm_xcit", R"({"global_pool": "max"})",
                         R"(global_pool 'max')"},
        RefusedArguments{"hub/timm_gap_fc_norm", R"({"global_pool": "map"})",
                         R"(global_pool 'map', and of this network Softscope computes token, avg, )"
                         R"(max or avgmax)"},
        RefusedArguments{"hub/timm_gap_fc_norm",
                         R"({"global_pool": "", "model_args": {"global_pool": ""}})",
                         R"(global_pool '')"},
        RefusedArguments{"libraries/timm_cait",
                         R"({"global_pool": "", "model_args": {"global_pool": ""}})",
                         R"(global_pool '')"},
        RefusedArguments{
            "hub/timm_gap_fc_norm", R"({"model_args": {"block_fn": "ResPostBlock"}})",
            R"(block_fn 'ResPostBlock', and of this network Softscope computes Block)"},
        RefusedArguments{"libraries/timm_siglip", R"({"global_pool": "avg"})",
                         R"(global_pool 'avg')"},
        RefusedArguments{"libraries/timm_dinov3", R"({"global_pool": "map"})",
                         R"(global_pool 'map')"},
        RefusedArguments{"libraries/timm_dinov3", R"({"model_args": {"use_rot_pos_emb": false}})",
                         R"(use_rot_pos_emb 'false')"},
        RefusedArguments{"efficientvit_b_timm", R"({"global_pool": "catavgmax"})",
                         R"(global_pool 'catavgmax')"},
        RefusedArguments{"efficientvit_b_timm", R"({"model_args": {"act_layer": "silu"}})",
                         R"(act_layer 'silu')"},
        RefusedArguments{"efficientvit_l", R"({"model_args": {"norm_eps": 0.01}})",
                         R"(norm_eps '0.01')"},
        RefusedArguments{"linear/swiftformer", R"({"model_args": {"down_stride": 1}})",
                         R"(down_stride '1')"},
        RefusedArguments{"linear/swiftformer", R"({"down_pad": 0})", R"(down_pad '0')"},
        RefusedArguments{"windows/timm_swin", R"({"global_pool": "catavgmax"})",
                         R"(global_pool 'catavgmax')"},
        RefusedArguments{"libraries/timm_eva02", R"({"model_args": {"use_post_norm": true}})",
                         R"(use_post_norm 'true')"},
        RefusedArguments{"libraries/timm_eva02", R"({"model_args": {"rope_type": "mixed"}})",
                         R"(rope_type 'mixed')"},
        RefusedArguments{"libraries/timm_eva02", R"({"model_args": {"ref_feat_shape": [8, 6]}})",
                         R"(ref_feat_shape '8,6')"},
        RefusedArguments{"libraries/hf_mobilevit", R"({"output_stride": 16})",
                         R"(output_stride '16')"},
        RefusedArguments{"libraries/hf_mobilevit", R"({"patch_size": 4})", R"(patch_size '4')"},
        RefusedArguments{"libraries/hf_mobilevit", R"({"hidden_act": "relu"})",
                         R"(hidden_act 'relu')"},
        RefusedArguments{"libraries/hf_cvt_heads", R"({"patch_padding": [9, 1, 1]})",
                         R"(patch_padding '9,1,1')"},
        RefusedArguments{"libraries/hf_cvt_heads", R"({"stride_kv": [0, 1, 1]})",
                         R"(stride_kv '0,1,1')"},
        RefusedArguments{"libraries/hf_cvt_heads", R"({"stride_q": [1, 2, 1]})",
                         R"(stride_q '1,2,1')"},
        RefusedArguments{"libraries/hf_cvt_heads", R"({"padding_q": [0, 1, 1]})",
                         R"(padding_q '0,1,1')"},
        RefusedArguments{
            "libraries/openclip",
            R"({"model_cfg": {"vision_cfg": {"norm_kwargs": {"elementwise_affine": false}}}})",
            R"(norm_kwargs.elementwise_affine 'false')"},
        RefusedArguments{"libraries/openclip",
                         R"({"model_cfg": {"vision_cfg": {"act_kwargs": {"beta": 2}}}})",
                         R"(act_kwargs.beta '2')"}));

TEST(ConfiguredValues, OpenClipsArgumentsTellEpsilonAndActivation) {
  const ReconfiguredCase changed("libraries/openclip", R"({"model_cfg": {"vision_cfg":
      {"norm_kwargs": {"eps": 0.001}, "act_kwargs": {"approximate": "tanh", "inplace": true}}}})");
  const ModelSummary summary = openModel(changed.request())->summary();
  EXPECT_EQ(summary.setting("epsilon")->value, "0.001");
  EXPECT_EQ(summary.setting("activation")->value, "gelu_tanh");
  EXPECT_EQ(summary.setting("epsilon")->source, "from open_clip_config.json");
}

TEST(ConfiguredValues, OneNumberOfHeadsIsThatOfEveryStage) {
  const ReconfiguredCase changed("libraries/timm_pvt_v2", R"({"model_args": {"num_heads": 2}})");
  EXPECT_THAT(openModel(changed.request())->summary().heads, ::testing::Each(2));
}

TEST(ConfiguredValues, TheUsersPoolingIsStrongerThanOneThatIsNotComputed) {
  const ReconfiguredCase changed("hub/timm_gap_fc_norm", R"({"global_pool": "max"})");
  ModelRequest request = changed.request();
  request.pooling = "mean";
  EXPECT_EQ(openModel(request)->summary().setting("pooling")->value, "mean");
}

TEST(ConfiguredValues, WhatUsersChooseIsAskedBeforeAnActivationIsRefused) {
  for (const char* name : {"libraries/hf_pvt_v2", "windows/hf_swin", "libraries/hf_vit_mae"}) {
    SCOPED_TRACE(name);
    const ReconfiguredCase changed(name, R"({"hidden_act": "mish"})");
    try {
      openModel(changed.request());
      ADD_FAILURE() << "Softscope does not compute that";
    } catch (const ModelError& error) {
      EXPECT_THAT(error.what(),
                  HasSubstr("config.json beside the file says the activation mish, which Softscope "
                            "does not compute here; --activation chooses another: gelu"));
    }
    ModelRequest request = changed.request();
    request.activation = "gelu";
    EXPECT_EQ(openModel(request)->summary().setting("activation")->value, "gelu");
  }
}

TEST(ConfiguredValues, MetadataAreAskedBeforeAnActivationIsRefused) {
  const ReconfiguredCase changed("libraries/hf_pvt_v2", R"({"hidden_act": "mish"})");
  ModelRequest request;
  request.path = changed.path() + "/converted.safetensors";
  convertCheckpoint(changed.request().path, request.path, {.metadata = {{"activation", "relu"}}});
  const ModelSummary summary = openModel(request)->summary();
  EXPECT_EQ(summary.setting("activation")->value, "relu");
  EXPECT_EQ(summary.setting("activation")->source, "from the file's metadata");
}

TEST(ConfiguredValues, PositionsThatMakeNoSquareAreNamedAlikeByEveryFamily) {
  EXPECT_EQ(requireSquare(196), 14);
  for (const int count : {0, 195}) {
    try {
      requireSquare(count);
      ADD_FAILURE() << count << " make no square";
    } catch (const ModelError& error) {
      EXPECT_EQ(error.what(), "its " + std::to_string(count) +
                                  " positions make no square; the file may be damaged");
    }
  }
}

TEST(ConfiguredValues, AFileThatFitsNoWidthSaysNothing) {
  const ReconfiguredCase other("libraries/timm_cait",
                               R"({"global_pool": "max", "num_features": 768,
                                   "model_args": {"embed_dim": 768}})");
  EXPECT_NO_THROW(openModel(other.request()));
}

TEST(ConfiguredValues, WithoutAFileWhatNoWeightTellsIsGuessed) {
  const auto guesses = [](const char* name) {
    return guessedOptions(openModel(ReconfiguredCase(name, "").request())->summary());
  };
  EXPECT_THAT(guesses("libraries/timm_eva02"),
              AllOf(Contains("norm"), Contains("use_rot_pos_emb")));
  EXPECT_THAT(guesses("libraries/timm_cait"), Contains("pooling"));
  EXPECT_THAT(guesses("libraries/timm_convit"), Contains("pooling"));
  EXPECT_THAT(guesses("libraries/timm_xcit"), AllOf(Contains("pooling"), Contains("tokens_norm")));
}

TEST(ConfiguredValues, NamesOfMsnsClassifiersMakeTheirEpsilonLikely) {
  const ReconfiguredCase bare("libraries/hf_vit_msn_mixed", "");
  const ModelSummary summary = openModel(bare.request())->summary();
  EXPECT_EQ(summary.setting("epsilon")->value, "1e-06");
}

/// Writes a DINOv3 under Facebook's names with a head of this weight.
void writeDinov3(const Golden& backbone, const torch::Tensor& weight, const std::string& path) {
  StateDict state = readCheckpoint(backbone.path("checkpoint.pth")).state;
  state.insert("head.weight", weight);
  state.insert("head.bias", torch::zeros({weight.size(0)}));
  writeSafetensors(path, state, {});
}

TEST(ConfiguredValues, AHeadOfTwiceTheWidthOfDinov3SeesClassTokenAndMean) {
  const Golden backbone(goldenPath("libraries/fb_dinov3"));
  const Matrix& features = backbone.inspection->features;
  const Eigen::Index channels = features.cols();
  // The first class is channel 3 of the class token, the second channel 5 of the mean.
  torch::Tensor weight = torch::zeros({2, 2 * channels});
  weight[0][3] = 1;
  weight[1][channels + 5] = 1;
  const TemporaryFolder folder;
  ModelRequest request;
  request.path = folder.file("model.safetensors");
  writeDinov3(backbone, weight, request.path);
  // No word of timm's means both.
  writeBytes(folder.file("config.json"), R"({"global_pool": "avg"})");
  const auto model = openModel(request);
  EXPECT_EQ(model->summary().setting("pooling")->value, "both");
  constexpr Eigen::Index prefix = 5;
  const auto patches = features.rows() - prefix;
  expectNearLogits(inspect(*model, backbone.input())->logits,
                   {features(0, 3), features.col(5).tail(patches).mean()});
}

TEST(ConfiguredValues, AHeadOfDinov3MaySeeTheClassTokenUnderAnyNames) {
  const Golden backbone(goldenPath("libraries/fb_dinov3"));
  const TemporaryFolder folder;
  ModelRequest request;
  request.path = folder.file("model.safetensors");
  writeDinov3(backbone, torch::zeros({2, backbone.inspection->features.cols()}), request.path);
  EXPECT_EQ(identifyModel(request).setting("pooling")->value, "mean");
  writeBytes(folder.file("config.json"), R"({"global_pool": "token"})");
  EXPECT_EQ(identifyModel(request).setting("pooling")->value, "cls");
}

TEST(ConfiguredValues, EachOfEvasArgumentsTellsItselfUnlessTheNetworkIsNamed) {
  const auto guesses = [](const std::string& arguments) {
    const ReconfiguredCase changed("libraries/timm_eva02",
                                   R"({"architecture": "other", "model_args": )" + arguments + "}");
    return guessedOptions(identifyModel(changed.request()));
  };
  EXPECT_THAT(guesses(R"({"use_rot_pos_emb": true, "use_post_norm": null})"),
              AllOf(Contains("norm"), Not(Contains("use_rot_pos_emb"))));
  EXPECT_THAT(guesses(R"({"use_rot_pos_emb": null, "use_post_norm": false})"),
              AllOf(Contains("use_rot_pos_emb"), Not(Contains("norm"))));
}

TEST(ConfiguredValues, MetadataAnswerWhatNoOptionDoes) {
  const ReconfiguredCase bare("libraries/timm_eva02", "");
  Checkpoint checkpoint = readCheckpoint(bare.request().path);
  checkpoint.metadata["use_rot_pos_emb"] = "False";
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_EQ(summary.setting("use_rot_pos_emb")->value, "false");
  EXPECT_EQ(summary.setting("use_rot_pos_emb")->source, "from the file's metadata");
  EXPECT_THAT(guessedOptions(summary), Not(Contains("use_rot_pos_emb")));
}

/// The first numbers of open_clip's networks with its pool_type and final_ln_after_pool.
TEST(ConfiguredValues, OpenClipMayProjectTheMeanOfThePatches) {
  const std::vector<std::pair<const char*, std::vector<float>>> cases{
      {"tokens", {0.810801f, -0.810513f, 0.020813f, -0.384650f}},
      {"pooled", {1.023210f, -0.991414f, 0.060887f, -0.429296f}}};
  for (const auto& [place, expected] : cases) {
    const std::string isPooled = std::string(place) == "pooled" ? "true" : "false";
    const ReconfiguredCase changed("libraries/openclip",
                                   R"({"model_cfg": {"vision_cfg": {"pool_type": "avg",
                                  "final_ln_after_pool": )" +
                                       isPooled + "}}}");
    const Golden golden(changed.path());
    const Matrix& features = golden.inspection->features;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(features(0, static_cast<Eigen::Index>(i)), expected[i], 1e-4) << place << i;
    }
    EXPECT_EQ(golden.model->summary().setting("final-norm")->value, place);
  }
}

TEST(ConfiguredValues, WithoutAFileWhatClipProjectsIsGuessed) {
  const ReconfiguredCase bare("libraries/openclip", "");
  ModelRequest request = bare.request();
  EXPECT_THAT(guessedOptions(identifyModel(request)), Contains("pooling"));
  request.pooling = "mean";
  EXPECT_THAT(guessedOptions(identifyModel(request)),
              AllOf(Not(Contains("pooling")), Contains("final-norm")));
}

TEST(ConfiguredValues, AQueryThatSeesEvasClassTokenIsRefused) {
  const ReconfiguredCase bare("libraries/timm_eva", "");
  Checkpoint checkpoint = readCheckpoint(bare.request().path);
  checkpoint.state.insert("attn_pool.latent", torch::zeros({1, 1, 48}));
  try {
    identifyModel(checkpoint);
    FAIL() << "opened";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("also attends to the class token"));
  }
  EXPECT_THAT(guessedOptions(identifyModel(bare.request())), Contains("pooling"));
}

}  // namespace
}  // namespace softscope
