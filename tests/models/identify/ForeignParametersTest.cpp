#include "core/Error.h"
#include "core/network/Inspector.h"
#include "models/OpenModel.h"
#include "tests/core/ErrorMessage.h"
#include "tests/models/identify/ExtendedCheckpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace softscope {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// What openModel() says against it; empty where it opens.
std::string refusal(const ModelRequest& request) {
  return test::messageOf<ModelError>([&] { openModel(request); });
}

ModelRequest ignoringUnexpected(ModelRequest request) {
  request.ignoresUnexpected = true;
  return request;
}

/// A checkpoint of a family, and names that none of its networks has: in attention, in norms, in
/// embeddings, and in a head.
struct ForeignNames {
  const char* checkpoint;
  const char* family;
  std::vector<std::string> names;

  friend void PrintTo(const ForeignNames& foreign, std::ostream* stream) {
    *stream << foreign.checkpoint;
  }
};

class ForeignParameterTest : public ::testing::TestWithParam<ForeignNames> {};

TEST_P(ForeignParameterTest, IsNamedAndNotOpenedUnlessItIsToBeIgnored) {
  const auto& [checkpoint, family, names] = GetParam();
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const ExtendedCheckpoint file(checkpoint, {name});
    EXPECT_THAT(refusal(file.request()), HasSubstr(std::string("has 1 parameter that ") + family +
                                                   " does not have: '" + name));
    // A network without a part of its attention would show another one.
    const bool isOfAttention =
        name.find(".attn.") != name.npos || name.find(".attention.") != name.npos;
    EXPECT_THAT(refusal(file.request()),
                HasSubstr(isOfAttention ? "docs/python.md" : "--ignore-unexpected"));
    EXPECT_EQ(refusal(file.request()).find("--ignore-unexpected") == std::string::npos,
              isOfAttention);
    const ModelSummary identified = identifyModel(file.request());
    EXPECT_EQ(identified.family, family);
    EXPECT_THAT(identified.foreign, ElementsAre(name));
    EXPECT_TRUE(identified.counterfactual);
    EXPECT_THAT(identified.reason, HasSubstr(name));
    const auto model = openModel(ignoringUnexpected(file.request()));
    EXPECT_EQ(model->summary().family, family);
    EXPECT_TRUE(model->summary().counterfactual);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Families, ForeignParameterTest,
    ::testing::Values(
        ForeignNames{"golden/soft/checkpoint.pth",
                     "soft",
                     {"block1.0.att.mha.attn.dwc.weight", "block4.0.attn.an_bias",
                      "block2.0.norm1.alpha", "patch_embed1.gate", "head.scale"}},
        ForeignNames{"softmax_everyday10.safetensors",
                     "soft_pyramid",
                     {"block1.0.att.mha.attn.dwc.weight", "block3.0.norm1.bn.running_mean",
                      "pos_embed5", "head_dist.weight"}},
        ForeignNames{"golden/sima/checkpoint.pth",
                     "sima",
                     {"blocks.0.attn.dwc.weight", "cls_attn_blocks.0.norm3.weight",
                      "patch_embed.gate", "head_dist.weight"}},
        ForeignNames{"golden/xcit/checkpoint.pth",
                     "xcit",
                     {"blocks.1.attn.bias_table", "blocks.0.norm1.alpha", "register_tokens",
                      "head_dist.weight"}},
        ForeignNames{
            "golden/deit/checkpoint.pth",
            "deit",
            {"blocks.0.attn.dwc.weight", "blocks.0.attn.residual.0.weight", "blocks.1.norm1.warm",
             "norm_after.weight", "task_token", "head.scale", "aux_head.weight"}},
        ForeignNames{"golden/inline_deit/checkpoint.pth",
                     "inline_deit",
                     {"blocks.0.attn.dwc.weight", "blocks.1.norm1.warm", "dist_token"}},
        ForeignNames{"golden/agent_deit/checkpoint.pth",
                     "agent_deit",
                     {"blocks.0.attn.residual.0.bias", "blocks.1.norm1.warm", "head.scale"}},
        ForeignNames{"golden/slab_deit/checkpoint.pth",
                     "slab_deit",
                     {"blocks.0.attn.scale", "norm.norm3.weight", "head.scale"}},
        ForeignNames{"golden/flatten_pvt/checkpoint.pth",
                     "flatten_pvt",
                     {"block1.0.attn.lepe.weight", "block2.0.norm1.alpha", "pos_embed5"}},
        ForeignNames{"golden/pola_pvt/checkpoint.pth",
                     "pola_pvt",
                     {"block1.0.attn.lepe.weight", "block2.0.norm1.alpha", "cls_token"}},
        ForeignNames{"golden/t2t_performer/checkpoint.pth",
                     "t2t_vit",
                     {"tokens_to_token.attention1.dwc.weight", "blocks.0.attn.dwc.weight",
                      "blocks.0.norm1.alpha", "dist_token", "head_dist.weight"}},
        ForeignNames{"golden/cvt/checkpoint.pth",
                     "cvt",
                     {"stage0.blocks.0.attn.dwc.weight", "stage1.blocks.0.norm1.alpha",
                      "stage0.patch_embed.gate", "head_dist.weight"}},
        ForeignNames{"golden/efficientvit_b/checkpoint.pth",
                     "efficientvit",
                     {"backbone.stages.2.op_list.1.context_module.main.aggreg.1.0.weight",
                      "backbone.stages.2.op_list.1.context_module.main.dwc.weight",
                      "backbone.stages.0.op_list.0.main.se.weight", "head.op_list.4.weight"}},
        ForeignNames{"golden/efficientvit_b_timm/checkpoint.pth",
                     "efficientvit",
                     {"stages.2.blocks.1.context_module.main.kernel.weight",
                      "stages.3.downsample.weight", "head.norm.weight"}},
        ForeignNames{"golden/mlla/checkpoint.pth",
                     "mlla",
                     {"layers.0.blocks.0.attn.v.weight", "layers.1.blocks.0.gamma_1",
                      "layers.0.blocks.0.attn.relative_position_bias_table", "pos_embed"}},
        ForeignNames{"golden/rala/checkpoint.pth",
                     "rala",
                     {"layers.0.blocks.0.attn.dwc.weight", "layers.2.blocks.0.gamma_3",
                      "layers.3.RoPE.scale", "head_dist.weight"}},
        ForeignNames{"nonlocal_cifar10.safetensors",
                     "preresnet_nl",
                     {"stage2.nonlocal0.sigma.weight", "stage1.block0.norm1.alpha", "stem.bias",
                      "head_dist.weight"}}));

TEST(ForeignParameters, ADeitWithNamesOfItsRelativesIsNoDeit) {
  // What LeapLabTHU's InLine and Agent-Attention have beside DeiT's names, of other shapes.
  std::vector<std::string> names;
  for (const std::string block : {"blocks.0.", "blocks.1."}) {
    for (const char* name : {"residual.0.weight", "residual.2.weight", "an_bias", "na_bias"}) {
      names.push_back(block + "attn." + name);
    }
  }
  const ExtendedCheckpoint file("golden/deit/checkpoint.pth", names);
  EXPECT_THAT(identifyModel(file.request()).foreign, ElementsAreArray(names));
  EXPECT_THAT(refusal(file.request()),
              HasSubstr("has 8 parameters that deit does not have: "
                        "'blocks.0.attn.residual.0.weight'; 'blocks.0.attn.residual.2.weight'; "
                        "'blocks.0.attn.an_bias'; and 5 more"));
}

TEST(ForeignParameters, RelativesOfDeitsAreNotOpenedAsDeit) {
  // --arch says nothing of parameters.
  for (const auto& [folder, name] : {std::pair("inline_deit", "blocks.0.attn.residual.0.weight"),
                                     std::pair("agent_deit", "blocks.0.attn.an_bias")}) {
    const ExtendedCheckpoint file(std::string("golden/") + folder + "/checkpoint.pth", {});
    ModelRequest request = file.request();
    request.architecture = "deit";
    EXPECT_THAT(refusal(request), AllOf(HasSubstr("that deit does not have"), HasSubstr(name)));
  }
}

TEST(ForeignParameters, ThoseThatAreIgnoredChangeNothing) {
  const ExtendedCheckpoint file("golden/deit/checkpoint.pth", {"blocks.0.attn.dwc.weight"});
  const auto with = openModel(ignoringUnexpected(file.request()));
  const ExtendedCheckpoint plain("golden/deit/checkpoint.pth", {});
  const auto without = openModel(plain.request());
  InputTensor input{64, 96, std::vector<float>(3 * 64 * 96, 0.5f)};
  EXPECT_EQ(inspect(*with, input)->logits, inspect(*without, input)->logits);
}

TEST(ForeignParameters, AFileThatAlsoLacksSomeSaysBoth) {
  const ExtendedCheckpoint file("golden/deit/checkpoint.pth", {"blocks.0.attn.dwc.weight"},
                                {"norm.weight"});
  for (const ModelRequest& request : {file.request(), ignoringUnexpected(file.request())}) {
    EXPECT_THAT(refusal(request), AllOf(HasSubstr("lacks norm.weight"),
                                        HasSubstr("does not have: 'blocks.0.attn.dwc.weight'"),
                                        Not(HasSubstr("--ignore-unexpected"))));
  }
}

TEST(ForeignParameters, ANameMakesNoSecondLine) {
  const ExtendedCheckpoint file("golden/deit/checkpoint.pth",
                                {"blocks.0.attn.two\nlines" + std::string(500, 'x')});
  const std::string message = refusal(file.request());
  EXPECT_THAT(message, AllOf(HasSubstr("'blocks.0.attn.two?lines"), Not(HasSubstr("\n"))));
  EXPECT_LT(message.size(), 600u);
}

/// A checkpoint, and what it may carry beside its network.
class HarmlessExtrasTest : public ::testing::TestWithParam<ForeignNames> {};

TEST_P(HarmlessExtrasTest, KeepAFileOpening) {
  const auto& [checkpoint, family, names] = GetParam();
  const ExtendedCheckpoint file(checkpoint, names);
  const auto model = openModel(file.request());
  EXPECT_EQ(model->summary().family, family);
  EXPECT_THAT(model->summary().unexpected, ElementsAreArray(names));
  EXPECT_THAT(model->summary().foreign, IsEmpty());
  EXPECT_FALSE(model->summary().counterfactual);
}

TEST(ForeignParameters, AModuleThatIsCalledAsAnAverageOrAnOptimiserIsNone) {
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"ema.conv.weight", "ema.norm.weight", "ema.conv.bias"},
        {"model_ema.gate.weight"},
        {"optimizer_token"}}) {
    const ExtendedCheckpoint file("golden/deit/checkpoint.pth", names);
    EXPECT_THAT(refusal(file.request()), HasSubstr("that deit does not have"));
    EXPECT_THAT(identifyModel(file.request()).foreign, ElementsAreArray(names));
  }
  // Lightning's LitEma leaves the dots out of the names that it averages.
  const ExtendedCheckpoint averaged("golden/deit/checkpoint.pth",
                                    {"model_ema.blocks0norm1weight", "model_ema.num_updates"});
  EXPECT_EQ(refusal(averaged.request()), "");
}

/// What training leaves in a file of any family.
const std::vector<std::string> leftovers{"teacher_norm.num_batches_tracked",
                                         "blocks.0.total_ops",
                                         "total_params",
                                         "n_averaged",
                                         "optimizer.step",
                                         "ema.head.weight",
                                         "model_ema.decay"};

INSTANTIATE_TEST_SUITE_P(
    Families, HarmlessExtrasTest,
    ::testing::Values(
        ForeignNames{"golden/soft/checkpoint.pth", "soft", leftovers},
        ForeignNames{"softmax_everyday10.safetensors", "soft_pyramid", leftovers},
        ForeignNames{"golden/sima/checkpoint.pth", "sima", {"fpn1.0.weight", "head.mlp.0.weight"}},
        ForeignNames{
            "golden/xcit/checkpoint.pth",
            "xcit",
            {"fpn2.0.weight", "fpn1.4.weight", "head.mlp.0.weight", "head.last_layer.weight_v"}},
        ForeignNames{"golden/deit/checkpoint.pth", "deit", leftovers},
        ForeignNames{
            "golden/deit/checkpoint.pth",
            "deit",
            {"mask_token", "masked_embed", "decoder_pos_embed", "decoder_blocks.0.attn.qkv.weight",
             "head.last_layer.weight_g", "fpn1.0.weight"}},
        ForeignNames{"golden/t2t_transformer/checkpoint.pth", "t2t_vit", leftovers},
        ForeignNames{"golden/cvt/checkpoint.pth", "cvt", leftovers},
        ForeignNames{"golden/efficientvit_l/checkpoint.pth",
                     "efficientvit",
                     {"head.input_ops.0.op_list.0.conv.weight", "head.middle.op_list.0.main.weight",
                      "head.output_ops.0.op_list.0.conv.weight"}},
        ForeignNames{"golden/mlla/checkpoint.pth", "mlla", leftovers},
        ForeignNames{"golden/rala/checkpoint.pth", "rala", leftovers},
        ForeignNames{"nonlocal_cifar10.safetensors", "preresnet_nl", leftovers}));

TEST(ForeignParameters, XcitsTemperatureIsLeftOutWhereSimaIsAskedFor) {
  const ExtendedCheckpoint file("golden/xcit/checkpoint.pth", {});
  ModelRequest request = file.request();
  request.architecture = "sima";
  const auto model = openModel(request);
  EXPECT_EQ(model->summary().family, "sima");
  EXPECT_THAT(model->summary().foreign, IsEmpty());
  EXPECT_TRUE(model->summary().counterfactual);
}

}  // namespace
}  // namespace softscope
