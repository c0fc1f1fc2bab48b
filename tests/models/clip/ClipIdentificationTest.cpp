#include "core/Error.h"
#include "models/OpenModel.h"
#include "tests/core/ErrorMessage.h"
#include "tests/models/identify/ExtendedCheckpoint.h"
#include "tests/models/identify/GuessedOptions.h"
#include "tests/models/identify/ReconfiguredCase.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace softscope {
namespace {

using test::guessedOptions;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* openClip = "golden/libraries/openclip/open_clip_model.safetensors";

/// Names and shapes of OpenCLIP's CLIPA with these sizes, whose blocks have no norm in front.
Checkpoint clipa(int width, int depth) {
  Checkpoint checkpoint;
  checkpoint.path = "clipa.safetensors";
  const auto add = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
    checkpoint.state.insert("visual." + name, torch::zeros({1}).expand(shape));
  };
  const auto addBoth = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
    add(name + "weight", shape);
    add(name + "bias", {shape.front()});
  };
  add("class_embedding", {width});
  add("positional_embedding", {257, width});
  add("proj", {width, 768});
  add("conv1.weight", {width, 3, 14, 14});
  addBoth("ln_post.", {width});
  for (int i = 0; i < depth; ++i) {
    const std::string block = "transformer.resblocks." + std::to_string(i) + ".";
    addBoth(block + "ln_1.", {width});
    addBoth(block + "ln_2.", {width});
    addBoth(block + "attn.in_proj_", {3 * width, width});
    addBoth(block + "attn.out_proj.", {width, width});
    addBoth(block + "mlp.c_fc.", {4 * width, width});
    addBoth(block + "mlp.c_proj.", {width, 4 * width});
  }
  return checkpoint;
}

TEST(ClipIdentification, WithoutANormInFrontOfBlocksTheMeanOfPatchesIsLikely) {
  const ReconfiguredCase bare("libraries/openclip_clipa", "");
  const ModelSummary summary = identifyModel(bare.request());
  EXPECT_THAT(guessedOptions(summary), ElementsAre("heads", "activation", "epsilon", "pooling",
                                                   "final-norm", "mean", "std"));
  EXPECT_EQ(summary.setting("pooling")->value, "mean");
  EXPECT_EQ(summary.setting("final-norm")->value, "pooled");
}

TEST(ClipIdentification, SizesOfClipaTellItsPooling) {
  const ModelSummary summary = identifyModel(clipa(1024, 24));
  EXPECT_THAT(guessedOptions(summary), ElementsAre());
  EXPECT_THAT(summary.missing, ElementsAre());
  EXPECT_EQ(summary.setting("pooling")->value, "mean");
  EXPECT_EQ(summary.setting("final-norm")->value, "pooled");
  EXPECT_EQ(summary.setting("activation")->value, "gelu");
  EXPECT_EQ(summary.transform.extent, InputTransform::Extent::Whole);
}

TEST(ClipIdentification, AMissingNormInFrontOfBlocksIsDamageWhereTheConfigurationSaysNothing) {
  const ExtendedCheckpoint damaged(openClip, {}, {"visual.ln_pre.weight", "visual.ln_pre.bias"});
  damaged.writeBeside("open_clip_config.json",
                      R"({"model_cfg": {"vision_cfg": {"width": 64, "head_width": 32}}})");
  EXPECT_THAT(test::messageOf<ModelError>([&] { openModel(damaged.request()); }),
              HasSubstr("lacks visual.ln_pre.weight"));
}

TEST(ClipIdentification, CocaIsRefusedByItsName) {
  const ExtendedCheckpoint coca(openClip, {"visual.attn_pool.query"});
  EXPECT_THAT(test::messageOf<ModelError>([&] { openModel(coca.request()); }),
              AllOf(HasSubstr("is OpenCLIP's CoCa or a relative, by 'visual.attn_pool.query'"),
                    HasSubstr("docs/python.md"), Not(HasSubstr("wrong shape"))));
}

TEST(ClipIdentification, PerceptionEncodersAreRefusedByTheirPartsAndMayNotBeForced) {
  const ExtendedCheckpoint pooled(openClip, {"visual.attn_pool.probe"});
  const ExtendedCheckpoint spatial(openClip, {}, {"visual.ln_post.weight", "visual.ln_post.bias"});
  for (const bool ignores : {false, true}) {
    const auto refusalOf = [&](const ExtendedCheckpoint& file) {
      ModelRequest request = file.request();
      request.ignoresUnexpected = ignores;
      return test::messageOf<ModelError>([&] { openModel(request); });
    };
    EXPECT_THAT(refusalOf(pooled),
                AllOf(HasSubstr("is Perception Encoder, by 'visual.attn_pool.probe'"),
                      HasSubstr("docs/python.md")));
    EXPECT_THAT(refusalOf(spatial),
                AllOf(HasSubstr("without the norm 'visual.ln_post'"), HasSubstr("or the file lost"),
                      HasSubstr("docs/python.md")));
  }
}

}  // namespace
}  // namespace softscope
