#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "models/OpenModel.h"
#include "models/identify/TrainerArguments.h"
#include "tests/core/ErrorMessage.h"
#include "tests/models/Golden.h"
#include "tests/models/identify/ReconfiguredCase.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace softscope {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string complaintWith(const std::string& name, const std::string& changes) {
  const ReconfiguredCase changed(name, changes);
  return test::messageOf<ModelError>([&] { identifyModel(changed.request()); });
}

ModelSummary summaryWith(const std::string& name, const std::string& changes) {
  return identifyModel(ReconfiguredCase(name, changes).request());
}

TEST(TimmArguments, AnEva02UnderAPlainVitsNamesIsRefusedUnlessItDoesNotRotate) {
  for (const char* name : {"hub/timm_gap_fc_norm", "deit"}) {
    EXPECT_THAT(complaintWith(name, R"({"architecture": "eva02_tiny_patch14_224"})"),
                AllOf(HasSubstr("EVA-02"), HasSubstr("use_rot_pos_emb")));
    EXPECT_EQ(complaintWith(name, R"({"architecture": "eva02_tiny_patch14_224",
                                      "model_args": {"use_rot_pos_emb": false}})"),
              "");
    EXPECT_EQ(complaintWith(name, R"({"architecture": "eva_giant_patch14_224"})"), "");
  }
}

TEST(TimmArguments, WindowsMayBePairsOfSides) {
  const auto logitsWith = [](const std::string& windows) {
    const ReconfiguredCase changed(
        "windows/timm_swinv2_pretrained",
        R"({"model_args": {"pretrained_window_sizes": )" + windows + "}}");
    return Golden(changed.path()).inspection->logits;
  };
  const std::vector<float> expected = logitsWith("[4, 3, 2]");
  EXPECT_EQ(logitsWith("[[4, 4], [3, 3], [2, 2]]"), expected);
  EXPECT_EQ(logitsWith("[4, [3, 3], 2]"), expected);
  EXPECT_NE(logitsWith("[[4, 4], [3, 3], [5, 5]]"), expected);
}

TEST(TimmArguments, WindowsThatCannotBeReadAreNotTakenForAbsentOnes) {
  const auto complaint = [](const std::string& key, const std::string& windows) {
    return complaintWith("windows/timm_swinv2_pretrained",
                         R"({"model_args": {")" + key + R"(": )" + windows + "}}");
  };
  for (const char* key : {"pretrained_window_sizes", "window_size"}) {
    for (const char* windows : {"[[4, 4], [3, 3]]", "[[4, 4, 4], [3, 3, 3], [2, 2, 2]]",
                                R"([["4", "4"], [3, 3], [2, 2]])", "[[-4, -4], [3, 3], [2, 2]]",
                                "[[4, 4], 11111111111111111111, 2]",
                                "[[4, 4], 11111111111111111, 11111111111111111, 1.5]"}) {
      EXPECT_THAT(complaint(key, windows), HasSubstr(std::string("says ") + key)) << windows;
    }
  }
  EXPECT_EQ(complaint("window_size", "[[5, 5], [5, 5], [3, 3]]"), "");
  EXPECT_THAT(complaint("pretrained_window_sizes", "[[4, 3], [3, 3], [2, 2]]"),
              HasSubstr("square ones"));
}

TEST(TimmArguments, PairsOfSidesTellTheWindowOfSwinV2) {
  const ModelSummary summary =
      summaryWith("windows/timm_swinv2_pretrained",
                  R"({"model_args": {"window_size": [[5, 5], [5, 5], [3, 3]]}})");
  ASSERT_NE(summary.setting("window"), nullptr);
  EXPECT_EQ(summary.setting("window")->value, "5");
  EXPECT_EQ(summary.setting("window")->source, "from config.json");
}

TEST(TimmArguments, TheirPicturesComeBeforeThoseOfPublishedWeights) {
  const auto sidesWith = [](const std::string& arguments) {
    const InputTransform transform = summaryWith("deit", R"({"architecture": "vit_tiny_patch16_224",
        "pretrained_cfg": {"input_size": [3, 224, 192]}, "model_args": )" +
                                                             arguments + "}")
                                         .transform;
    return std::vector<int>{transform.height, transform.width};
  };
  EXPECT_THAT(sidesWith(R"({"img_size": 64})"), ElementsAre(64, 64));
  EXPECT_THAT(sidesWith(R"({"img_size": [80, 80]})"), ElementsAre(80, 80));
  EXPECT_THAT(sidesWith("{}"), ElementsAre(224, 192));
  EXPECT_THAT(sidesWith(R"({"img_size": 64, "dynamic_img_size": true})"), ElementsAre(224, 192));
}

TEST(TimmArguments, NetworksForPicturesThatAreNotSquareAreNamed) {
  for (const char* name : {"libraries/timm_cait", "libraries/timm_convit"}) {
    EXPECT_THAT(complaintWith(name, R"({"model_args": {"img_size": [32, 128]}})"),
                AllOf(HasSubstr("img_size '32,128'"), HasSubstr("square pictures")));
    EXPECT_THAT(complaintWith(name, R"({"pretrained_cfg": {"input_size": [3, 32, 128]},
                                        "model_args": {"img_size": null}})"),
                HasSubstr("input_size '32,128'"));
    EXPECT_EQ(complaintWith(name, R"({"pretrained_cfg": {"input_size": [3, 64, 64]}})"), "");
  }
}

TEST(TimmArguments, ThatLeavePartsOutAreNamed) {
  for (const auto& [name, key, value] : {std::tuple("deit", "final_norm", "false"),
                                         {"deit", "pos_embed", R"("none")"},
                                         {"deit", "proj_bias", "false"},
                                         {"libraries/timm_xcit", "use_pos_embed", "false"}}) {
    EXPECT_THAT(
        complaintWith(name, "{\"model_args\": {\"" + std::string(key) + "\": " + value + "}}"),
        HasSubstr(std::string("says ") + key));
  }
  EXPECT_EQ(complaintWith("deit", R"({"model_args": {"final_norm": true, "pos_embed": "learn",
                                      "proj_bias": true}})"),
            "");
}

TEST(TimmArguments, ACropOfMoreThanThePictureIsSaid) {
  const auto doubtsWith = [](const std::string& crop) {
    return summaryWith("deit", R"({"pretrained_cfg": {"crop_pct": )" + crop + "}}")
        .preparationDoubts;
  };
  EXPECT_THAT(doubtsWith("1.1"), ElementsAre(HasSubstr("crop_pct 1.1")));
  EXPECT_THAT(doubtsWith("1.0"), IsEmpty());
}

/// The metadata of a checkpoint that timm's training script stored.
TEST(TimmArguments, OfTheTrainingScriptTellWhatAFileBesideItWould) {
  const ReconfiguredCase bare("deit", "");
  Checkpoint checkpoint = readCheckpoint(bare.request().path);
  checkpoint.metadata = {{"args.model", "vit_tiny_patch16_224"},
                         {"args.interpolation", "bilinear"},
                         {"args.crop_pct", "0.8"},
                         {"args.mean", "0.25,0.5,0.75"},
                         {"args.std", "0.5,0.5,0.5"},
                         {"args.gp", "avg"},
                         {"args.model_kwargs.embed_dim", "128"},
                         {"args.model_kwargs.num_heads", "4"},
                         {"args.model_kwargs.act_layer", "relu"},
                         {"args.model_kwargs.img_size", "64"}};
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_THAT(summary.heads, ElementsAre(4));
  EXPECT_EQ(summary.setting("heads")->source, "from the file's metadata");
  EXPECT_EQ(summary.setting("activation")->value, "relu");
  EXPECT_EQ(summary.setting("pooling")->value, "mean");
  EXPECT_EQ(summary.setting("mean")->source, "from args");
  EXPECT_THAT(summary.transform.mean, ElementsAre(0.25F, 0.5F, 0.75F));
  EXPECT_EQ(summary.transform.filter, InputTransform::Filter::Bilinear);
  EXPECT_DOUBLE_EQ(summary.transform.cropFraction, 0.8);
  EXPECT_EQ(summary.transform.height, 64);

  checkpoint.metadata["args.model_kwargs.norm_layer"] = "batchnorm2d";
  EXPECT_THAT(test::messageOf<ModelError>([&] { identifyModel(checkpoint); }),
              HasSubstr("args in the file says norm_layer"));
  checkpoint.metadata.erase("args.model_kwargs.norm_layer");
  checkpoint.metadata.erase("args.interpolation");
  EXPECT_NE(identifyModel(checkpoint).setting("mean")->source, "from args")
      << "another script's args";
}

TEST(TimmArguments, TheTrainingScriptsNameOfANetworkCountsLikeThatOfAFileBesideIt) {
  const auto trained = [](const char* name, const char* architecture) {
    const ReconfiguredCase bare(name, "");
    Checkpoint checkpoint = readCheckpoint(bare.request().path);
    checkpoint.metadata = {{"args.model", architecture}, {"args.interpolation", ""}};
    return checkpoint;
  };
  EXPECT_THAT(test::messageOf<ModelError>(
                  [&] { identifyModel(trained("deit", "eva02_tiny_patch14_224")); }),
              AllOf(HasSubstr("EVA-02"), HasSubstr("args in the file says")));
  EXPECT_EQ(identifyModel(trained("deit", "vit_base_patch16_clip_quickgelu_224"))
                .setting("activation")
                ->value,
            "quick_gelu");
  const Checkpoint xcit = trained("libraries/timm_xcit", "xcit_nano_12_p16_224");
  const ModelSummary summary = identifyModel(xcit);
  EXPECT_EQ(summary.setting("tokens_norm")->value, "false");
  EXPECT_EQ(summary.setting("tokens_norm")->source, "from args");
  EXPECT_FALSE(summary.setting("activation")->isUndetermined());
}

TEST(TimmArguments, RotationsAreGuessedAtSizesNobodyPublishedUnlessTheNetworkIsNamed) {
  for (const char* name : {"libraries/timm_eva02", "libraries/timm_dinov3"}) {
    SCOPED_TRACE(name);
    Checkpoint bare = readCheckpoint(ReconfiguredCase(name, "").request().path);
    const ModelSummary named = summaryWith(name, "{}");
    for (const char* key : {"rope_temperature", "rope_type", "rope_grid_indexing",
                            "rope_grid_offset", "rope_rotate_half"}) {
      SCOPED_TRACE(key);
      ASSERT_NE(identifyModel(bare).setting(key), nullptr);
      EXPECT_TRUE(identifyModel(bare).setting(key)->isUndetermined());
      ASSERT_NE(named.setting(key), nullptr);
      EXPECT_FALSE(named.setting(key)->isUndetermined());
    }
    bare.metadata["rope_rotate_half"] = named.setting("rope_rotate_half")->value;
    EXPECT_FALSE(identifyModel(bare).setting("rope_rotate_half")->isUndetermined());
    bare.metadata["rope_grid_offset"] = "0.5";
    EXPECT_THAT(test::messageOf<ModelError>([&] { identifyModel(bare); }),
                HasSubstr("rope_grid_offset '0.5'"));
  }
}

TEST(TimmArguments, HeadsAreReadInEveryTrainersDictionary) {
  const ReconfiguredCase bare("deit", "");
  Checkpoint checkpoint = readCheckpoint(bare.request().path);
  for (const char* key :
       {"hyper_parameters.num_heads", "config.num_heads", "hparams.n_heads", "cfg.heads",
        "model_args.num_attention_heads", "hyper_parameters.model.num_heads"}) {
    SCOPED_TRACE(key);
    checkpoint.metadata = {{key, "4"}};
    const ModelSummary summary = identifyModel(checkpoint);
    EXPECT_THAT(summary.heads, ElementsAre(4));
    EXPECT_EQ(summary.setting("heads")->source, "from the file's metadata");
  }
  checkpoint.metadata = {{"hyper_parameters.decoder.num_heads", "4"}};
  EXPECT_NE(identifyModel(checkpoint).setting("heads")->source, "from the file's metadata");
}

TEST(TimmArguments, AWholeModuleTellsItsSettings) {
  const ReconfiguredCase bare("deit", "");
  Checkpoint checkpoint = readCheckpoint(bare.request().path);
  checkpoint.metadata = {{"module.num_heads", "4"},
                         {"module.hidden_act", "relu"},
                         {"module.global_pool", "avg"},
                         {"module.layer_norm_eps", "1e-05"}};
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_THAT(summary.heads, ElementsAre(4));
  EXPECT_EQ(summary.setting("heads")->source, "from the pickled module");
  EXPECT_EQ(summary.setting("activation")->value, "relu");
  EXPECT_EQ(summary.setting("pooling")->value, "mean");
  EXPECT_EQ(summary.setting("epsilon")->value, "1e-05");
  EXPECT_EQ(summary.setting("epsilon")->source, "from the pickled module");
  checkpoint.metadata = {{"module.bn.updates", "3"}};
  EXPECT_FALSE(configurationOf(checkpoint).isWithinCheckpoint);
  checkpoint.metadata["module.num_heads"] = "2,4";
  EXPECT_THAT(test::messageOf<ModelError>([&] { identifyModel(checkpoint); }),
              HasSubstr("says heads 2,4 of its blocks"));
  checkpoint.metadata["module.num_heads"] = "4";
  checkpoint.metadata["module.attention_scale"] = "0.5";
  EXPECT_THAT(test::messageOf<ModelError>([&] { identifyModel(checkpoint); }),
              HasSubstr("scales products of queries and keys by 0.5"));
}

}  // namespace
}  // namespace softscope
