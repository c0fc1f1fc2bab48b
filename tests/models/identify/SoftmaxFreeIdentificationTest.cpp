#include "core/Error.h"
#include "models/OpenModel.h"
#include "tests/core/ErrorMessage.h"
#include "tests/models/identify/GuessedOptions.h"
#include "tests/models/identify/PublishedLayouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace softscope {
namespace {

using test::guessedOptions;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

struct SoftmaxFreeLayout {
  const char* name;
  const char* family;
  const char* variant;
  std::size_t layers;
  std::vector<int> heads;
  /// Settings that no weight tells.
  std::vector<std::string> guesses = {};

  friend void PrintTo(const SoftmaxFreeLayout& layout, std::ostream* stream) {
    *stream << layout.name;
  }
};

class SoftmaxFreeTest : public ::testing::TestWithParam<SoftmaxFreeLayout> {};

TEST_P(SoftmaxFreeTest, IsIdentifiedFromNamesAndShapes) {
  const SoftmaxFreeLayout& layout = GetParam();
  const ModelSummary summary = identifyModel(zeros(layout.name));
  EXPECT_EQ(summary.family, layout.family);
  EXPECT_EQ(summary.variant, layout.variant);
  // A detector's norms of the first three stages are left out.
  const int leftOut = std::string(layout.name).ends_with("backbone") ? 2 * (64 + 128 + 256) : 0;
  // All layers of LRA's Linformer share E, which files hold for each.
  const int shared = summary.mechanism == "linformer" ? 2 * 256 * 1024 : 0;
  EXPECT_EQ(summary.parameters + leftOut - shared, publishedParameters(layout.name));
  EXPECT_EQ(summary.layers.size(), layout.layers);
  EXPECT_EQ(summary.heads, layout.heads);
  EXPECT_EQ(guessedOptions(summary), layout.guesses);
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_THAT(summary.foreign, IsEmpty());
  EXPECT_THAT(summary.wrongShape, IsEmpty());
  EXPECT_FALSE(summary.counterfactual);
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, SoftmaxFreeTest,
    ::testing::Values(
        SoftmaxFreeLayout{"ca_deit_tiny", "ca_deit", "ca_deit_tiny", 12, {1}},
        SoftmaxFreeLayout{"ca_deit_small", "ca_deit", "ca_deit_small", 12, {1}},
        SoftmaxFreeLayout{"ca_deit_base", "ca_deit", "ca_deit_base", 12, {1}},
        SoftmaxFreeLayout{"mhla_deit_tiny", "mhla_deit", "mhla_deit_tiny", 12, {3}},
        SoftmaxFreeLayout{"mhla_deit_small", "mhla_deit", "mhla_deit_small", 12, {6}},
        SoftmaxFreeLayout{"mhla_deit_base", "mhla_deit", "mhla_deit_base", 12, {12}},
        SoftmaxFreeLayout{"lra_image_softmax", "lra", "lra_image", 2, {2}},
        SoftmaxFreeLayout{"lra_image_linear", "lra", "lra_image", 2, {2}},
        SoftmaxFreeLayout{"lra_image_nystrom-32", "lra", "lra_image", 2, {2}},
        SoftmaxFreeLayout{"lra_image_nystrom-256", "lra", "lra_image", 2, {2}},
        SoftmaxFreeLayout{"lra_image_linformer-256", "lra", "lra_image", 2, {2}},
        SoftmaxFreeLayout{"lra_image_performer-256", "lra", "lra_image", 2, {2}, {"key_maximum"}},
        SoftmaxFreeLayout{"swiftformer_xs", "swiftformer", "swiftformer_xs", 4, {1, 1, 1, 1}},
        SoftmaxFreeLayout{"swiftformer_s", "swiftformer", "swiftformer_s", 4, {1, 1, 1, 1}},
        SoftmaxFreeLayout{"swiftformer_l1", "swiftformer", "swiftformer_l1", 4, {1, 1, 1, 1}},
        SoftmaxFreeLayout{"swiftformer_l3", "swiftformer", "swiftformer_l3", 4, {1, 1, 1, 1}},
        SoftmaxFreeLayout{"vssd_micro", "vssd", "vssd_micro", 16, {2, 4, 8, 16}},
        SoftmaxFreeLayout{"vssd_tiny", "vssd", "vssd_tiny", 18, {2, 4, 8, 16}},
        SoftmaxFreeLayout{"vssd_tiny_detection_backbone", "vssd", "vssd_tiny", 18, {2, 4, 8, 16}},
        SoftmaxFreeLayout{"vssd_small", "vssd", "vssd_small", 33, {2, 4, 8, 16}},
        SoftmaxFreeLayout{"vssd_base", "vssd", "vssd_base", 33, {3, 6, 12, 24}},
        SoftmaxFreeLayout{"vim_tiny_stride16", "vim", "vim_tiny_stride16", 24, {2}},
        SoftmaxFreeLayout{"vim_tiny_stride8", "vim", "vim_tiny_stride8", 24, {2}},
        SoftmaxFreeLayout{"vim_small_stride8", "vim", "vim_small_stride8", 24, {2}},
        SoftmaxFreeLayout{"vim_base_stride16", "vim", "vim_base_stride16", 24, {2}},
        SoftmaxFreeLayout{"vmambav0_tiny_224", "vmamba", "vmambav0_tiny_224", 15, {4, 4, 4, 4}},
        SoftmaxFreeLayout{"vmambav0_base_224", "vmamba", "vmambav0_base_224", 33, {4, 4, 4, 4}},
        SoftmaxFreeLayout{"vmambav2_tiny_224", "vmamba", "vmambav2_tiny_224", 11, {4, 4, 4, 4}},
        SoftmaxFreeLayout{"vmambav2v_small_224", "vmamba", "vmambav2v_small_224", 26, {4, 4, 4, 4}},
        SoftmaxFreeLayout{"vmambav2v_base_224", "vmamba", "vmambav2v_base_224", 26, {4, 4, 4, 4}},
        SoftmaxFreeLayout{"vrwkv_tiny", "vrwkv", "vrwkv_tiny", 12, {1}},
        SoftmaxFreeLayout{"vrwkv_small", "vrwkv", "vrwkv_small", 12, {1}},
        SoftmaxFreeLayout{"vrwkv_base", "vrwkv", "vrwkv_base", 12, {1}},
        SoftmaxFreeLayout{"vig_tiny", "vig", "vig_tiny", 12, {3}},
        SoftmaxFreeLayout{"vig_small", "vig", "vig_small", 12, {6}},
        SoftmaxFreeLayout{"vig_base", "vig", "vig_base", 12, {12}}));

TEST(SoftmaxFreeIdentification, EveryTensorMayBeLostAndTheRestIsStillRecognised) {
  for (const char* name :
       {"ca_deit_tiny", "mhla_deit_tiny", "lra_image_linformer-256", "swiftformer_xs", "vssd_micro",
        "vim_tiny_stride16", "vmambav2v_tiny_224", "vrwkv_tiny", "vig_tiny"}) {
    const Checkpoint whole = zeros(name);
    const ModelSummary complete = identifyModel(whole);
    for (const auto& entry : whole.state.entries()) {
      // Further blocks are as the first two.
      const std::size_t blocks = entry.name.find("blocks.");
      const std::size_t layers = entry.name.find("layers.");
      const std::size_t digit = blocks != std::string::npos   ? blocks + 7
                                : layers != std::string::npos ? layers + 7
                                                              : std::string::npos;
      if (digit != std::string::npos && entry.name[digit] > '1') continue;
      if (digit != std::string::npos && entry.name[digit + 1] != '.') continue;
      SCOPED_TRACE(std::string(name) + " without " + entry.name);
      const ModelSummary summary = identifyModel(without(whole, entry.name));
      EXPECT_EQ(summary.family, complete.family);
      EXPECT_EQ(summary.missing, std::vector<std::string>{entry.name});
      EXPECT_THAT(summary.wrongShape, IsEmpty());
    }
  }
}

std::string softmaxFreeRefusal(const Checkpoint& checkpoint) {
  return test::messageOf<ModelError>([&] { identifyModel(checkpoint); });
}

/// Returns a published layout with a tensor more.
Checkpoint withTensor(const std::string& layout, const std::string& name,
                      std::vector<std::int64_t> shape) {
  Checkpoint checkpoint = zeros(layout);
  checkpoint.state.insert(name, torch::zeros({}).expand(shape));
  return checkpoint;
}

TEST(SoftmaxFreeIdentification, OtherFormsAreRefusedByName) {
  EXPECT_THAT(softmaxFreeRefusal(withTensor("vim_tiny_stride16", "cls_token_head", {1, 1, 192})),
              HasSubstr("two class tokens"));
  EXPECT_THAT(softmaxFreeRefusal(withTensor("vim_tiny_stride16", "rope.freqs_cos", {196, 64})),
              HasSubstr("rotary positions"));
  EXPECT_THAT(softmaxFreeRefusal(
                  withTensor("vmambav2v_tiny_224", "layers.0.blocks.0.op.out_norm.0.weight", {96})),
              HasSubstr("convolution in its output norm"));
  EXPECT_THAT(
      softmaxFreeRefusal(withTensor("vrwkv_tiny", "backbone.layers.0.att.time_faaaa", {3, 64})),
      HasSubstr("Vision-RWKV 6"));
  EXPECT_THAT(softmaxFreeRefusal(withTensor("vim_tiny_stride16", "pos_embed_cls", {1, 12, 192})),
              HasSubstr("Mamba-Reg"));
  EXPECT_THAT(softmaxFreeRefusal(withTensor("vim_tiny_stride16", "layers.0.norm.bias", {192})),
              HasSubstr("with layer norms"));
  EXPECT_THAT(softmaxFreeRefusal(withTensor(
                  "vmambav2v_tiny_224", "layers.0.blocks.0.op.multi_scan.attn.norm.weight", {96})),
              HasSubstr("this is LocalVMamba"));
  EXPECT_THAT(softmaxFreeRefusal(
                  withTensor("vmambav2v_tiny_224", "layers.0.blocks.0.conv_branch.0.bias", {96})),
              HasSubstr("this is EfficientVMamba"));
  Checkpoint firstVim = zeros("vim_tiny_stride16");
  StateDict forwardOnly;
  for (const auto& entry : firstVim.state.entries()) {
    if (entry.name.find("_b") == std::string::npos) forwardOnly.insert(entry.name, entry.tensor);
  }
  firstVim.state = forwardOnly;
  EXPECT_THAT(softmaxFreeRefusal(firstVim), HasSubstr("without a backward scan"));
}

TEST(SoftmaxFreeIdentification, OtherFormsThatLackATensorAreRefusedByName) {
  const auto withoutAll = [](const char* layout, const std::vector<std::string>& parts) {
    Checkpoint checkpoint = zeros(layout);
    StateDict kept;
    for (const auto& entry : checkpoint.state.entries()) {
      const bool isLeftOut = std::any_of(parts.begin(), parts.end(), [&](const auto& part) {
        return entry.name.find(part) != std::string::npos;
      });
      if (!isLeftOut) kept.insert(entry.name, entry.tensor);
    }
    checkpoint.state = kept;
    return checkpoint;
  };
  Checkpoint patches = withoutAll("vim_tiny_stride16", {"cls_token", "pos_embed"});
  patches.state.insert("pos_embed", torch::zeros({}).expand({1, 196, 192}));
  EXPECT_THAT(softmaxFreeRefusal(patches), HasSubstr("without a class token"));
  EXPECT_THAT(identifyModel(without(zeros("vim_tiny_stride16"), "pos_embed")).reason,
              HasSubstr("without positions"));
  EXPECT_THAT(softmaxFreeRefusal(withoutAll("swiftformer_xs", {"layer_scale_"})),
              HasSubstr("without layer scales"));
  Checkpoint backbone = withoutAll("swiftformer_xs", {"head", "norm.weight", "norm.bias"});
  backbone.state.insert("norm0.weight", torch::zeros({}).expand({48}));
  EXPECT_THAT(softmaxFreeRefusal(backbone), HasSubstr("for detection or segmentation"));
}

TEST(SoftmaxFreeIdentification, ScalesAtSizesWithoutThemAreOfNoPublishedVisionRwkv) {
  const Checkpoint scaled = withTensor("vrwkv_tiny", "backbone.layers.0.gamma1", {192});
  const ModelSummary summary = identifyModel(scaled);
  EXPECT_EQ(summary.variant, "custom");
  EXPECT_THAT(guessedOptions(summary), IsSupersetOf({"post_norm", "channel_gamma", "shift_pixel"}));
}

TEST(SoftmaxFreeIdentification, LrasSoftmaxAndLinearAttentionAreToldByNamesAlone) {
  EXPECT_EQ(identifyModel(zeros("lra_image_softmax")).mechanism, "softmax");
  EXPECT_EQ(identifyModel(zeros("lra_image_linear")).mechanism, "elu");
  Checkpoint unnamed = zeros("lra_image_linear");
  unnamed.path = "best.pth";
  const ModelSummary summary = identifyModel(unnamed);
  EXPECT_EQ(summary.mechanism, "softmax");
  EXPECT_EQ(guessedOptions(summary), std::vector<std::string>{"attention"});
}

TEST(SoftmaxFreeIdentification, LrasAttentionsThatLeaveNoTensorsAreNeverTakenForSoftmax) {
  for (const char* name :
       {"skyformer", "kernelized", "softmaxRBF32", "sketchedRBF32128", "informer", "bigbird",
        "longformer", "reformer", "linformer-256", "performer-256", "none"}) {
    SCOPED_TRACE(name);
    Checkpoint named = zeros("lra_image_softmax");
    named.path = "image_" + std::string(name) + "_output.model";
    EXPECT_THAT(softmaxFreeRefusal(named), HasSubstr("computes softmax, elu or nystrom"));
    named.path = "best.pth";
    named.metadata["config.attn_type"] = name;
    EXPECT_THAT(softmaxFreeRefusal(named), HasSubstr("computes softmax, elu or nystrom"));
    ModelRequest request;
    request.attention = "softmax";
    EXPECT_TRUE(identifyModel(named, request).counterfactual);
  }
  Checkpoint unnamed = zeros("lra_image_softmax");
  unnamed.path = "nonesuch.pth";
  EXPECT_THAT(identifyModel(unnamed).reason, HasSubstr("leave the same tensors"));
}

TEST(SoftmaxFreeIdentification, LrasNystromformerMayHaveNoConvolution) {
  Checkpoint named = zeros("lra_image_softmax");
  named.path = "image_nystrom-128_output.model";
  ModelSummary summary = identifyModel(named);
  EXPECT_EQ(summary.mechanism, "nystrom");
  EXPECT_EQ(summary.setting("landmarks")->value, "128");
  named.path = "best.pth";
  named.metadata["attn_type"] = "nystrom-64";
  summary = identifyModel(named);
  EXPECT_EQ(summary.mechanism, "nystrom");
  EXPECT_EQ(guessedOptions(summary), std::vector<std::string>{"landmarks"});
}

TEST(SoftmaxFreeIdentification, LrasPerformerOfSkyformersVocabularyTakesTheMaximumOfAllHeads) {
  Checkpoint performer = zeros("lra_image_performer-256");
  EXPECT_EQ(identifyModel(performer).setting("key_maximum")->value, "head");
  const std::string words = "model.embeddings.word_embeddings.weight";
  performer = without(performer, words);
  performer.state.insert(words, torch::zeros({}).expand({256, 64}));
  const ModelSummary summary = identifyModel(performer);
  EXPECT_EQ(summary.setting("key_maximum")->value, "all_heads");
  EXPECT_EQ(guessedOptions(summary), std::vector<std::string>{"key_maximum"});
}

TEST(SoftmaxFreeIdentification, LrasReformerAndTiedBlocksAreRefusedByName) {
  EXPECT_THAT(softmaxFreeRefusal(withTensor(
                  "lra_image_softmax", "model.transformer_0.mha.attn.query_key.weight", {64, 64})),
              HasSubstr("Reformer's attention"));
  Checkpoint tied = zeros("lra_image_softmax");
  StateDict once;
  for (const auto& entry : tied.state.entries()) {
    std::string name = entry.name;
    if (name.starts_with("model.transformer_1.")) continue;
    if (name.starts_with("model.transformer_0.")) name.erase(17, 2);
    once.insert(name, entry.tensor);
  }
  tied.state = once;
  EXPECT_THAT(softmaxFreeRefusal(tied), HasSubstr("tied_weights"));
}

TEST(SoftmaxFreeIdentification, LrasLandmarksAreInItsFilesNames) {
  EXPECT_EQ(identifyModel(zeros("lra_image_nystrom-128")).setting("landmarks")->value, "128");
  Checkpoint unnamed = zeros("lra_image_nystrom-128");
  unnamed.path = "best.pth";
  EXPECT_EQ(guessedOptions(identifyModel(unnamed)), std::vector<std::string>{"landmarks"});
  ModelRequest request;
  request.landmarks.count = 32;
  EXPECT_EQ(identifyModel(unnamed, request).setting("landmarks")->value, "32");
  request.landmarks.count = 33;
  EXPECT_THROW(identifyModel(unnamed, request), ModelError);
}

TEST(SoftmaxFreeIdentification, AVisionRwkvsBackboneMayLackItsPrefix) {
  Checkpoint backbone = zeros("vrwkv_small");
  StateDict bare;
  for (const auto& entry : backbone.state.entries()) {
    if (entry.name.starts_with("backbone.")) bare.insert(entry.name.substr(9), entry.tensor);
  }
  backbone.state = bare;
  const ModelSummary summary = identifyModel(backbone);
  EXPECT_EQ(summary.variant, "vrwkv_small");
  EXPECT_EQ(summary.classes, 0);
  EXPECT_EQ(summary.layers.front().name, "layers.0.att");
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_THAT(summary.foreign, IsEmpty());
}

TEST(SoftmaxFreeIdentification, SwiftFormersAuthorsNamesAreKnown) {
  const Checkpoint timms = zeros("swiftformer_xs");
  Checkpoint authors = timms;
  authors.state = {};
  const auto replaced = [](std::string name, const std::string& from, const std::string& to) {
    const std::size_t at = name.find(from);
    return at == std::string::npos ? name : name.replace(at, from.size(), to);
  };
  for (const auto& entry : timms.state.entries()) {
    std::string name = entry.name;
    for (int stage = 0; stage < 4; ++stage) {
      const std::string path = "stages." + std::to_string(stage);
      name = replaced(name, path + ".blocks.", "network." + std::to_string(2 * stage) + ".");
      name =
          replaced(name, path + ".downsample.", "network." + std::to_string(2 * stage - 1) + ".");
    }
    name = replaced(name, ".gamma", "");
    name = replaced(name, "attn.proj.", "attn.Proj.");
    name = replaced(name, "head_dist.", "dist_head.");
    if (name.starts_with("stem.")) name = replaced(name, "stem.", "patch_embed.");
    authors.state.insert(name, entry.tensor);
  }
  const ModelSummary summary = identifyModel(authors);
  EXPECT_EQ(summary.variant, "swiftformer_xs");
  EXPECT_EQ(summary.layers.front().name, "network.0.2.attn");
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_THAT(summary.foreign, IsEmpty());
  EXPECT_THAT(summary.wrongShape, IsEmpty());
}

}  // namespace
}  // namespace softscope
