#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/network/Inspector.h"
#include "models/ConvertCheckpoint.h"
#include "models/OpenModel.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/files/TemporaryFolder.h"
#include "tests/models/Golden.h"
#include "tests/models/UnpackedArchive.h"
#include "tests/models/identify/GuessedOptions.h"
#include "tests/models/identify/PublishedLayouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace softscope {
namespace {

using test::guessedOptions;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// An option that leaves nothing in the weights of a golden network, whose sizes no one published.
struct StoredCase {
  const char* checkpoint;  ///< a case as goldenPath() names it
  const char* key;
  const char* usual;
  /// A value other than the usual one that is computed, too; empty if there is none.
  const char* other;
  /// A value that is not computed.
  const char* refused;
  /// A published variant of the family, which has the usual value for certain; empty if its names
  /// and shapes are not stored.
  const char* published;

  friend void PrintTo(const StoredCase& one, std::ostream* stream) {
    *stream << one.checkpoint << " " << one.key;
  }
};

std::string pathOf(const std::string& name) {
  return goldenPath(name + "/checkpoint.pth");
}

class StoredOptionsTest : public ::testing::TestWithParam<StoredCase> {
 protected:
  /// Returns the weights alone: some files hold their training's configuration.
  Checkpoint checkpoint() const {
    Checkpoint bare = readCheckpoint(pathOf(GetParam().checkpoint));
    bare.metadata.clear();
    return bare;
  }
  std::string key() const { return GetParam().key; }
};

TEST_P(StoredOptionsTest, IsAGuessWhereNothingTells) {
  const ModelSummary summary = identifyModel(checkpoint());
  EXPECT_THAT(guessedOptions(summary), Contains(key()));
  ASSERT_NE(summary.setting(key()), nullptr);
  EXPECT_EQ(summary.setting(key())->value, GetParam().usual);
  EXPECT_LE(summary.confidence(), 0.5);
}

TEST_P(StoredOptionsTest, IsCertainAtPublishedSizes) {
  const std::string published = GetParam().published;
  if (published.empty()) GTEST_SKIP() << "no published layout is stored";
  const ModelSummary summary = identifyModel(zeros(published));
  EXPECT_EQ(summary.setting(key()), nullptr);
  EXPECT_NE(summary.variant, "custom");
}

TEST_P(StoredOptionsTest, IsReadFromTheConfigurationOrTheArgumentsInTheFile) {
  for (const std::string place : {"", "config.", "args."}) {
    Checkpoint told = checkpoint();
    told.metadata[place + key()] = GetParam().usual;
    const ModelSummary summary = identifyModel(told);
    EXPECT_THAT(guessedOptions(summary), Not(Contains(key()))) << place;
    ASSERT_NE(summary.setting(key()), nullptr) << place;
    EXPECT_EQ(summary.setting(key())->source, "from the file's metadata");
  }
}

TEST_P(StoredOptionsTest, AnythingElseIsRefusedByName) {
  Checkpoint told = checkpoint();
  told.metadata["config." + key()] = GetParam().refused;
  EXPECT_THAT(test::messageOf<ModelError>([&] { identifyModel(told); }),
              AllOf(HasSubstr("the file's metadata says " + key()), HasSubstr(GetParam().refused)));
}

TEST_P(StoredOptionsTest, AnotherValueChangesWhatIsComputed) {
  const std::string other = GetParam().other;
  if (other.empty()) GTEST_SKIP() << "nothing else is computed";
  const TemporaryFolder folder;
  const auto logits = [&](const std::string& value) {
    const std::string file = folder.file("told" + value + ".safetensors");
    convertCheckpoint(pathOf(GetParam().checkpoint), file, {.metadata = {{key(), value}}});
    ModelRequest request;
    request.path = file;
    const std::shared_ptr<const Model> model = openModel(request);
    const InputTransform& transform = model->summary().transform;
    InputTensor input = evenInput(transform.height, transform.width);
    for (std::size_t i = 0; i < input.values.size(); ++i) input.values[i] = float(i * i % 7) - 3;
    return inspect(*model, input)->logits;
  };
  EXPECT_NE(logits(GetParam().usual), logits(other));
}

INSTANTIATE_TEST_SUITE_P(
    Families, StoredOptionsTest,
    ::testing::Values(
        StoredCase{"rala", "flagss", "l,l,v,v", "l,v,v,v", "l,x,v,v", "ravlt_t"},
        StoredCase{"linear/vssd", "MODEL.VMAMBA2.SSD_NGROUPS", "1", "-1", "0", "vssd_tiny"},
        StoredCase{"linear/vssd", "MODEL.VMAMBA2.SSD_POSITIVE_DA", "true", "false", "maybe",
                   "vssd_tiny"},
        StoredCase{"linear/vssd", "MODEL.VMAMBA2.LINEAR_ATTN_DUALITY", "true", "", "false",
                   "vssd_tiny"},
        StoredCase{"flatten_pvt", "MODEL.LA.FOCUSING_FACTOR", "3", "4", "-1", "flatten_pvt_tiny"},
        StoredCase{"pola_pvt", "MODEL.LA.ALPHA", "4", "3", "100", "pola_pvt_tiny"},
        StoredCase{"flatten_pvt", "act_layer", "gelu", "", "relu", "flatten_pvt_tiny"},
        StoredCase{"pola_pvt", "norm_eps", "1e-06", "", "0.001", "pola_pvt_tiny"},
        StoredCase{"mlla", "norm_eps", "1e-05", "", "0.001", "mlla_tiny"},
        StoredCase{"linear/circulant_deit", "act_layer", "gelu", "", "relu", "ca_deit_tiny"},
        StoredCase{"linear/mhla_deit", "norm_eps", "1e-06", "", "0.01", "mhla_deit_tiny"},
        StoredCase{"linear/swiftformer", "down_pad", "1", "", "0", "swiftformer_xs"},
        StoredCase{"sima", "use_pos", "true", "false", "perhaps", "sima_tiny_12_p8"},
        StoredCase{"linear/lra_linformer", "pooling_mode", "mean", "", "cls",
                   "lra_image_linformer-256"},
        StoredCase{"linear/lra_performer", "key_maximum", "head", "all_heads", "token", ""},
        StoredCase{"linear/vmamba", "MODEL.VSSM.SSM_FORWARDTYPE", "v05_noz", "", "v052d_noz",
                   "vmambav2_tiny_224"},
        StoredCase{"linear/vmamba_v0", "MODEL.VSSM.SSM_FORWARDTYPE", "v0", "", "v052d",
                   "vmambav0_tiny_224"},
        StoredCase{"linear/vmamba", "MODEL.VSSM.SSM_ACT_LAYER", "silu", "", "gelu",
                   "vmambav2_tiny_224"},
        StoredCase{"linear/vim", "use_middle_cls_token", "true", "false", "maybe",
                   "vim_tiny_stride16"},
        StoredCase{"linear/vim", "if_divide_out", "true", "false", "2", "vim_small_stride8"},
        StoredCase{"linear/vim", "if_bidirectional", "false", "", "true", "vim_base_stride16"},
        StoredCase{"linear/vrwkv", "post_norm", "false", "true", "2", "vrwkv_small"},
        StoredCase{"linear/vrwkv", "channel_gamma", "0.25", "0.125", "0.5", "vrwkv_tiny"},
        StoredCase{"linear/vrwkv", "shift_pixel", "1", "2", "0", "vrwkv_base"},
        StoredCase{"linear/vig", "MODEL.VIG.USE_ACT_IN_PATCH", "false", "true", "2", "vig_tiny"},
        StoredCase{"cvt", "MODEL.SPEC.STRIDE_KV", "2,2,2", "1,1,1", "2,2", ""},
        StoredCase{"cvt", "MODEL.SPEC.PATCH_PADDING", "2,1,1", "3,1,1", "9,1,1", ""},
        StoredCase{"cvt", "MODEL.SPEC.PATCH_STRIDE", "4,2,2", "2,2,2", "0,2,2", ""},
        StoredCase{"cvt", "MODEL.SPEC.PADDING_KV", "1,1,1", "0,0,0", "9,1,1", ""},
        StoredCase{"cvt", "act_layer", "quick_gelu", "", "gelu", ""},
        StoredCase{"cvt", "norm_eps", "1e-05", "", "0.001", ""},
        StoredCase{"xcit", "qk_scale", "none", "", "0.125", "xcit_tiny_12_p8"},
        StoredCase{"soft", "qk_scale", "none", "", "0.125", "soft_tiny"},
        StoredCase{"soft", "norm_eps", "1e-06", "", "1e-05", "soft_tiny"},
        StoredCase{"t2t_performer", "norm_eps", "1e-05", "", "0.001", "t2t_vit_7"},
        StoredCase{"t2t_performer", "qk_scale", "none", "", "0.125", "t2t_vit_7"}));

TEST(StoredOptions, OtherQueriesThanTokensOfCvtAreRefused) {
  for (const char* key : {"MODEL.SPEC.STRIDE_Q", "MODEL.SPEC.PADDING_Q"}) {
    Checkpoint checkpoint = readCheckpoint(pathOf("cvt"));
    EXPECT_EQ(identifyModel(checkpoint).setting(key), nullptr) << "no other leaves a network";
    checkpoint.metadata[std::string("config.") + key] = "2,2,2";
    EXPECT_THAT(test::messageOf<ModelError>([&] { identifyModel(checkpoint); }), HasSubstr(key));
  }
}

TEST(StoredOptions, TheScaleOfSwinsProductsIsAskedInItsAuthorsLayout) {
  static const test::UnpackedArchive windows("windows.zip");
  Checkpoint swin = readCheckpoint(windows.folder("authors_swin") + "/checkpoint.pth");
  EXPECT_THAT(guessedOptions(identifyModel(swin)), Contains("MODEL.SWIN.QK_SCALE"));
  swin.metadata["config.MODEL.SWIN.QK_SCALE"] = "None";
  EXPECT_THAT(guessedOptions(identifyModel(swin)), Not(Contains("MODEL.SWIN.QK_SCALE")));
  swin.metadata["config.MODEL.SWIN.QK_SCALE"] = "0.3";
  EXPECT_THROW(identifyModel(swin), ModelError);
}

TEST(StoredOptions, ArgumentsOfConvitAndCaitAreAskedOfBareFiles) {
  for (const char* name : {"libraries/timm_convit", "libraries/timm_cait"}) {
    Checkpoint checkpoint = readCheckpoint(goldenPath(std::string(name) + "/model.safetensors"));
    checkpoint.path = "bare.pth";
    checkpoint.metadata.clear();
    EXPECT_THAT(guessedOptions(identifyModel(checkpoint)),
                AllOf(Contains("qk_scale"), Contains("act_layer"), Contains("epsilon")))
        << name;
    ModelRequest request;
    request.epsilon = "0.001";
    EXPECT_THAT(guessedOptions(identifyModel(checkpoint, request)), Not(Contains("epsilon")))
        << name;
    checkpoint.metadata["args.qk_scale"] = "0.125";
    EXPECT_THROW(identifyModel(checkpoint), ModelError) << name;
  }
}

TEST(StoredOptions, KeysThatHaveNoOptionAreReadFromTheArgumentsToo) {
  Checkpoint checkpoint = readCheckpoint(pathOf("xcit"));
  checkpoint.metadata.clear();
  checkpoint.metadata["args.tokens_norm"] = "False";
  const ModelSummary summary = identifyModel(checkpoint);
  ASSERT_NE(summary.setting("tokens_norm"), nullptr);
  EXPECT_EQ(summary.setting("tokens_norm")->value, "false");
  EXPECT_EQ(summary.setting("tokens_norm")->source, "from the file's metadata");
}

TEST(StoredOptions, NewtonsStepsAreThoseOfTheTrainingsArguments) {
  Checkpoint checkpoint = zeros("soft_tiny");
  EXPECT_EQ(identifyModel(checkpoint).setting("newton_maxiter"), nullptr);
  checkpoint.metadata["args.newton_maxiter"] = "10";
  const ModelSummary summary = identifyModel(checkpoint);
  ASSERT_NE(summary.setting("newton_maxiter"), nullptr);
  EXPECT_EQ(summary.setting("newton_maxiter")->value, "10");
  EXPECT_EQ(summary.variant, "custom");
  checkpoint.metadata["args.newton_maxiter"] = "many";
  EXPECT_THAT(test::messageOf<ModelError>([&] { identifyModel(checkpoint); }),
              HasSubstr("newton_maxiter 'many'"));
}

TEST(StoredOptions, WordsThatDescribeValuesAreNone) {
  const auto complaint = [](Checkpoint checkpoint, const std::string& key,
                            const std::string& value) {
    checkpoint.metadata["config." + key] = value;
    return test::messageOf<ModelError>([&] { identifyModel(checkpoint); });
  };
  EXPECT_THAT(complaint(zeros("soft_tiny"), "newton_maxiter", "a whole number from 0 to 1000"),
              HasSubstr("newton_maxiter"));
  EXPECT_THAT(complaint(zeros("vssd_tiny"), "MODEL.VMAMBA2.SSD_NGROUPS", "a number of groups"),
              HasSubstr("SSD_NGROUPS"));
  EXPECT_THAT(complaint(zeros("ravlt_t"), "flagss", "a letter for each block of a stage"),
              HasSubstr("flagss"));
  EXPECT_THAT(complaint(readCheckpoint(pathOf("cvt")), "MODEL.SPEC.STRIDE_KV",
                        "a number from 1 to 8 for each stage"),
              HasSubstr("STRIDE_KV"));
}

TEST(StoredOptions, APaddingOfZeroIsANumber) {
  Checkpoint checkpoint = readCheckpoint(pathOf("cvt"));
  checkpoint.metadata["config.MODEL.SPEC.PATCH_PADDING"] = "0,1,0";
  EXPECT_EQ(identifyModel(checkpoint).setting("MODEL.SPEC.PATCH_PADDING")->value, "0,1,0");
}

TEST(StoredOptions, NestedConfigurationsTellTheHeadsOfMila) {
  Checkpoint checkpoint = readCheckpoint(goldenPath("mlla/checkpoint.pth"));
  std::vector<int> heads = identifyModel(checkpoint).heads;
  heads.back() /= 2;
  std::string text;
  for (const int count : heads) text += (text.empty() ? "" : ",") + std::to_string(count);
  checkpoint.metadata.erase("heads");
  checkpoint.metadata["config.MODEL.MLLA.NUM_HEADS"] = text;
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_EQ(summary.heads, heads);
  EXPECT_EQ(summary.setting("heads")->source, "from the file's metadata");
}

TEST(StoredOptions, TheFileTellsVigsActivationsOneByOne) {
  Checkpoint checkpoint = readCheckpoint(pathOf("linear/vig"));
  checkpoint.metadata["config.MODEL.VIG.USE_OUT_ACT"] = "false";
  checkpoint.metadata["config.MODEL.VIG.USE_ACT_IN_CONV"] = "true";
  checkpoint.metadata["config.MODEL.VIG.USE_ACT_IN_PATCH"] = "false";
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_EQ(summary.setting("activation"), nullptr);
  EXPECT_EQ(summary.setting("MODEL.VIG.USE_OUT_ACT")->value, "false");
  EXPECT_EQ(summary.setting("MODEL.VIG.USE_ACT_IN_CONV")->value, "true");
}

/// `v05_noz` and older names differ in the code that runs, not in what it computes.
TEST(StoredOptions, OtherNamesOfVmambasPublishedFormAreTheSame) {
  for (const char* form : {"v3noz", "v4_noz", "v05_noz_no32", "v2"}) {
    Checkpoint checkpoint = zeros("vmambav2_tiny_224");
    checkpoint.metadata["config.MODEL.VSSM.SSM_FORWARDTYPE"] = form;
    EXPECT_EQ(identifyModel(checkpoint).variant, "vmambav2_tiny_224") << form;
  }
  for (const char* form : {"v051d_noz", "v052dc", "v05_noz_oact", "v05_nozact", "m0_noz"}) {
    Checkpoint checkpoint = zeros("vmambav2_tiny_224");
    checkpoint.metadata["config.MODEL.VSSM.SSM_FORWARDTYPE"] = form;
    EXPECT_THROW(identifyModel(checkpoint), ModelError) << form;
  }
}

TEST(StoredOptions, PicturesArePreparedAsTheAuthorsOfTheNamesDo) {
  EXPECT_DOUBLE_EQ(identifyModel(zeros("swiftformer_xs")).transform.cropFraction, 0.95)
      << "under timm's names";
  static const test::UnpackedArchive windows("windows.zip");
  Checkpoint swin = readCheckpoint(windows.folder("authors_swin") + "/checkpoint.pth");
  EXPECT_DOUBLE_EQ(identifyModel(swin).transform.cropFraction, 0.875);
  EXPECT_EQ(identifyModel(swin).transform.extent, InputTransform::Extent::CentreCrop);
  swin.metadata["config.TEST.CROP"] = "false";
  EXPECT_EQ(identifyModel(swin).transform.extent, InputTransform::Extent::Whole);
  ModelRequest large;
  large.size = "384";
  EXPECT_DOUBLE_EQ(identifyModel(zeros("ravlt_t"), large).transform.cropFraction, 1);
}

}  // namespace
}  // namespace softscope
