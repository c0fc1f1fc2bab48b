#include "core/Error.h"
#include "models/OpenModel.h"
#include "models/identify/OtherNetworks.h"
#include "tests/core/ErrorMessage.h"
#include "tests/models/identify/ExtendedCheckpoint.h"
#include "tests/models/identify/PublishedLayouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <string>
#include <vector>

namespace softscope {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Names and shapes of networks as timm 1.0.31 and transformers 5.24.0 save them, without the
/// second block and those behind it of each list.
const nlohmann::json& otherLayouts() {
  static const nlohmann::json all = [] {
    std::ifstream file(std::string(SOFTSCOPE_TEST_DATA) + "/layouts/others.json");
    return nlohmann::json::parse(file);
  }();
  return all;
}

Checkpoint layoutNamed(const std::string& network, const std::string& wrapper = {}) {
  Checkpoint checkpoint;
  checkpoint.path = "model.safetensors";
  checkpoint.weights = "raw";
  for (const auto& [name, shape] : otherLayouts().at(network).at("state").items()) {
    const auto sizes = shape.get<std::vector<std::int64_t>>();
    checkpoint.state.insert(wrapper + name, torch::zeros({}).expand(sizes));
  }
  return checkpoint;
}

std::string refusal(const Checkpoint& checkpoint, const ModelRequest& request = {}) {
  return test::messageOf<ModelError>([&] { identifyModel(checkpoint, request); });
}

class OtherNetworkTest : public ::testing::TestWithParam<std::string> {};

TEST_P(OtherNetworkTest, IsNamedWithWhatToDo) {
  const std::string named = otherLayouts().at(GetParam()).at("named").get<std::string>();
  for (const char* wrapper : {"", "encoder."}) {
    SCOPED_TRACE(wrapper);
    const std::string said = refusal(layoutNamed(GetParam(), wrapper));
    EXPECT_THAT(said, HasSubstr("model.safetensors: is " + named + ", "));
    EXPECT_THAT(said, AnyOf(HasSubstr("docs/python.md"), HasSubstr("without attention")));
    EXPECT_THAT(said, Not(HasSubstr("damaged")));
    EXPECT_THAT(said, Not(HasSubstr("lacks")));
  }
}

/// Networks that Softscope refuses by name, or those that a family opens.
std::vector<std::string> otherNames(bool areOpened) {
  std::vector<std::string> names;
  for (const auto& [name, layout] : otherLayouts().items()) {
    if (layout.contains("family") == areOpened) names.push_back(name);
  }
  return names;
}

class OpenedNetworkTest : public ::testing::TestWithParam<std::string> {};

TEST_P(OpenedNetworkTest, IsOfItsFamilyWhateverPrecedesItsNames) {
  for (const char* wrapper : {"", "encoder."}) {
    SCOPED_TRACE(wrapper);
    const ModelSummary summary = identifyModel(layoutNamed(GetParam(), wrapper), {});
    EXPECT_EQ(summary.family, otherLayouts().at(GetParam()).at("family").get<std::string>());
    EXPECT_THAT(summary.missing, ::testing::IsEmpty());
    EXPECT_THAT(summary.wrongShape, ::testing::IsEmpty());
    EXPECT_THAT(summary.foreign, ::testing::IsEmpty());
  }
}

std::string testName(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Libraries, OtherNetworkTest, ::testing::ValuesIn(otherNames(false)),
                         testName);
INSTANTIATE_TEST_SUITE_P(Libraries, OpenedNetworkTest, ::testing::ValuesIn(otherNames(true)),
                         testName);

TEST(OtherNetworks, AreNoneOfThosePublishedThatSoftscopeComputes) {
  for (const auto& [variant, layout] : publishedLayouts().items()) {
    EXPECT_EQ(refusal(zeros(variant)), "") << variant;
  }
}

TEST(OtherNetworks, WhoSaysWhatItIsIsBelieved) {
  ModelRequest request;
  request.architecture = "vit";
  EXPECT_THAT(refusal(layoutNamed("vit_relpos_small_patch16_224"), request),
              Not(HasSubstr("does not open yet")));
}

/// A file with tensors of these names and shapes.
Checkpoint namesOnly(const std::vector<std::pair<std::string, std::vector<std::int64_t>>>& names) {
  Checkpoint checkpoint;
  checkpoint.path = "other.pth";
  for (const auto& [name, shape] : names) {
    checkpoint.state.insert(name, torch::zeros({}).expand(shape));
  }
  return checkpoint;
}

Checkpoint gptWithWords(std::int64_t words, const std::string& prefix) {
  return namesOnly({{prefix + "wte.weight", {words, 48}},
                    {prefix + "wpe.weight", {1024, 48}},
                    {prefix + "h.0.ln_1.weight", {48}},
                    {prefix + "h.0.attn.c_attn.weight", {48, 144}},
                    {prefix + "h.0.attn.c_proj.weight", {48, 48}},
                    {prefix + "h.1.ln_1.weight", {48}},
                    {prefix + "h.1.attn.c_attn.weight", {48, 144}},
                    {prefix + "h.1.attn.c_proj.weight", {48, 48}}});
}

TEST(OtherNetworks, WordsAreNotTakenForPictures) {
  for (const char* prefix : {"", "transformer."}) {
    EXPECT_THAT(refusal(gptWithWords(50257, prefix)),
                HasSubstr("is GPT-2 or a relative, a network for text and not for pictures ('"));
    EXPECT_THAT(refusal(gptWithWords(50257, prefix)), HasSubstr("wte.weight' has 50257 words)"));
    EXPECT_THAT(refusal(gptWithWords(65, prefix)), HasSubstr("has 65 words)"));
    EXPECT_THAT(refusal(gptWithWords(513, prefix)), HasSubstr("is ImageGPT, which"));
  }
  Checkpoint convolved = gptWithWords(65, "");
  convolved.state.insert("patches.weight", torch::zeros({48, 3, 8, 8}));
  EXPECT_THAT(refusal(convolved), Not(HasSubstr("for text")));
  const std::string mamba =
      refusal(namesOnly({{"backbone.embedding.weight", {50280, 48}},
                         {"backbone.layers.0.mixer.A_log", {96, 16}},
                         {"backbone.layers.0.mixer.in_proj.weight", {192, 48}},
                         {"backbone.norm_f.weight", {48}}}));
  EXPECT_THAT(mamba, HasSubstr("is a language model of Mamba's kind, a network for text"));
}

TEST(OtherNetworks, PartsOfNetworksAndOthersAreCalledWhatTheyAre) {
  const std::vector<std::pair<Checkpoint, std::string>> others{
      {namesOnly({{"base_model.model.layers.0.self_attn.q_proj.lora_A.weight", {8, 48}},
                  {"base_model.model.layers.0.self_attn.q_proj.lora_B.weight", {48, 8}},
                  {"base_model.model.layers.1.self_attn.q_proj.lora_A.weight", {8, 48}},
                  {"base_model.model.layers.1.self_attn.q_proj.lora_B.weight", {48, 8}}}),
       "is a set of LoRA adapters, which change the weights of another network"},
      {namesOnly({{"encoder.conv1.weight", {48, 80, 3}},
                  {"encoder.blocks.0.attn.query.weight", {48, 48}},
                  {"decoder.blocks.0.cross_attn.query.weight", {48, 48}}}),
       "is Whisper, a network for sound and not for pictures"},
      {namesOnly({{"synthesis.b4.conv1.weight", {16, 16, 3, 3}},
                  {"synthesis.b4.conv1.affine.weight", {16, 32}},
                  {"synthesis.b8.conv1.weight", {16, 16, 3, 3}},
                  {"synthesis.b8.conv1.affine.weight", {16, 32}},
                  {"mapping.fc0.weight", {32, 32}}}),
       "is StyleGAN's generator, a network without attention"},
      {namesOnly(
           {{"inc.double_conv.0.weight", {16, 3, 3, 3}}, {"outc.conv.weight", {2, 16, 1, 1}}}),
       "is U-Net, a network without attention"},
      {namesOnly({{"conv_in.weight", {48, 4, 3, 3}},
                  {"down_blocks.0.attentions.0.transformer_blocks.0.attn2.to_k.weight", {48, 32}},
                  {"down_blocks.0.attentions.1.transformer_blocks.0.attn2.to_k.weight", {48, 32}}}),
       "is Stable Diffusion's network or a relative, which"},
      {namesOnly({{"main.0.weight", {100, 64, 4, 4}}, {"main.3.weight", {64, 32, 4, 4}}}),
       "first 'main.0.weight', 2 convolutions) are of no network Softscope knows"}};
  for (const auto& [checkpoint, said] : others) EXPECT_THAT(refusal(checkpoint), HasSubstr(said));
}

TEST(OtherNetworks, WhatStandsBesideABackboneTellsItsAttention) {
  const std::string stage = "embedder.embedder.0.convolution.weight";
  Checkpoint detector =
      namesOnly({{stage, {16, 3, 3, 3}},
                 {"encoder.stages.0.layers.0.layer.0.convolution.weight", {16, 16, 3, 3}}});
  EXPECT_THAT(refusal(detector), HasSubstr("without attention"));
  detector.prefix = "model.backbone.model.";
  detector.beside = {"model.encoder.encoder.0.layers.0.self_attn.q_proj.weight"};
  EXPECT_THAT(refusal(detector), Not(HasSubstr("without attention")));
  detector.beside.emplace_back("model.encoder.fpn_blocks.0.conv1.conv.weight");
  detector.beside.emplace_back("model.decoder.layers.0.encoder_attn.sampling_offsets.weight");
  EXPECT_THAT(refusal(detector), HasSubstr("is RT-DETR, which"));
  detector.beside.emplace_back("model.encoder.fpn_blocks.0.csp_rep1.conv1.conv.weight");
  EXPECT_THAT(refusal(detector), HasSubstr("is D-FINE, which"));
}

TEST(OtherNetworks, AreKnownByThePartsThatNoOtherHas) {
  const std::vector<std::pair<std::vector<const char*>, const char*>> others{
      {{"embeddings.segment_token_input"}, "SegGPT"},
      {{"box_head.dense0.weight", "class_head.dense0.weight"}, "OWL-ViT or OWLv2"},
      {{"cross_modal_image_layers.0.attention.self.key.weight"}, "BridgeTower"},
      {{"embeddings.visual_token_type_embeddings.weight"}, "VisualBERT"},
      {{"upscale_block.block.0.conv1.weight", "mask_head.fc1.weight"}, "EoMT"},
      {{"encoder.layer.0.attention.attention.qkv.weight"}, "TimeSformer"},
      {{"blocks.0.attn.q_proj.weight", "blocks.0.attn.rope.freqs_cos"},
       "EVA-02 under its authors' names"},
      {{"encoder.layers.0.self_attn.q_proj.A.weight", "encoder.layers.0.self_attn.q_proj.B.weight"},
       "BEiT-3"},
      {{"blocks.0.attn.qkv_pos.weight", "blocks.0.gamma"}, "PatchConvNet"},
      {{"layer_3.1.global_rep.0.pre_norm_attn.1.qkv_proj.block.conv.weight"}, "MobileViTv2"},
      {{"merger.ln_q.weight", "blocks.0.attn.qkv.weight"}, "Qwen's image encoder"}};
  for (const auto& [names, network] : others) {
    StateDict state;
    for (const char* name : names) state.insert(name, torch::zeros({8, 8}));
    EXPECT_THAT(otherNetworkText(state), HasSubstr(std::string(network) + ", which"));
  }
}

TEST(OtherNetworks, PromptsOtherThanTokensOfTheFirstBlockAreNamed) {
  const ExtendedCheckpoint file("golden/deit/checkpoint.pth", {});
  const Checkpoint deit = withTensors(readCheckpoint(file.request().path),
                                      [](std::string& name, torch::Tensor& tensor) {
                                        if (name == "pos_embed") tensor = tensor.slice(1, 0, 17);
                                      });
  const std::int64_t width = deit.state.find("cls_token")->size(2);
  const auto saidOf = [&](const std::vector<std::string>& names,
                          const std::vector<std::int64_t>& shape) {
    Checkpoint prompted = deit;
    for (const std::string& name : names) prompted.state.insert(name, torch::ones(shape));
    return refusal(prompted);
  };
  EXPECT_THAT(saidOf({"prompt_embeddings", "deep_prompt_embeddings"}, {1, 5, width}),
              HasSubstr("is a vision transformer with prompts in every block (deep VPT)"));
  EXPECT_THAT(saidOf({"prompt.prompt", "prompt.prompt_key"}, {10, 5, width}), HasSubstr("L2P"));
  EXPECT_THAT(saidOf({"e_prompt.prompt"}, {2, 1, 10, 5, width}), HasSubstr("DualPrompt"));
  EXPECT_THAT(saidOf({"g_prompt"}, {2, 2, 5, width}), HasSubstr("DualPrompt"));
  EXPECT_THAT(saidOf({"prompter.pad_up", "prompter.pad_left"}, {1, 3, 4, 32}),
              HasSubstr("behind a prompt of pixels"));
  EXPECT_EQ(saidOf({"prompt_embeddings"}, {1, 5, width}), "");
  const ExtendedCheckpoint other("golden/deit/checkpoint.pth", {"visual_prompt"});
  EXPECT_THAT(test::messageOf<ModelError>([&] { openModel(other.request()); }),
              AllOf(HasSubstr("with prompts"), HasSubstr("'visual_prompt'"),
                    HasSubstr("no file tells"), Not(HasSubstr("damaged"))));
}

TEST(OtherNetworks, LinearAttentionUnderKnownNamesIsNamed) {
  const ExtendedCheckpoint file("golden/deit/checkpoint.pth", {});
  const Checkpoint deit = readCheckpoint(file.request().path);
  const auto saidOf = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
    Checkpoint other = deit;
    for (const char* block : {"blocks.0.", "blocks.1."}) {
      other.state.insert(block + name, torch::ones(shape));
    }
    return refusal(other);
  };
  EXPECT_THAT(saidOf("attn.dconv.weight", {2, 1, 9, 1}), HasSubstr("is Castling-ViT"));
  EXPECT_THAT(saidOf("attn.w1", {1, 2, 16, 16}), HasSubstr("is ViTTT"));
}

TEST(OtherNetworks, PyramidsWithLinearAttentionAreNamed) {
  const auto saidOf = [](const std::vector<std::string>& names) {
    Checkpoint checkpoint;
    checkpoint.path = "model.pth";
    for (const std::string& name : names) checkpoint.state.insert(name, torch::zeros({16}));
    return refusal(checkpoint);
  };
  EXPECT_THAT(saidOf({"stage1.0.qkv.bias", "stage1.0.attns.0.get_v.bias"}), HasSubstr("is CSWin"));
  EXPECT_THAT(saidOf({"layers.0.RoPE.angle", "layers.0.blocks.0.attn.qkv.bias"}),
              HasSubstr("is SecViT"));
  EXPECT_THAT(saidOf({"layers.0.blocks.0.attn.w1", "layers.0.blocks.0.attn.qkv.bias"}),
              HasSubstr("is ViTTT"));
}

TEST(OtherNetworks, AnUnknownOneIsToldWhatToDo) {
  Checkpoint checkpoint;
  checkpoint.path = "own.pth";
  checkpoint.state.insert("layer.weight", torch::zeros({3, 3}));
  EXPECT_THAT(refusal(checkpoint), HasSubstr("of no network Softscope knows"));
  EXPECT_THAT(refusal(checkpoint), HasSubstr("docs/python.md"));
}

TEST(OtherNetworks, ADamagedOneOfAFamilyIsOfThatFamily) {
  const ExtendedCheckpoint file("golden/deit/checkpoint.pth", {}, {"norm.weight"});
  try {
    openModel(file.request());
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("is a deit model"));
    EXPECT_THAT(error.what(), HasSubstr("lacks norm.weight"));
  }
}

TEST(OtherNetworks, FlexiVitHasNoPositionForItsClassToken) {
  Checkpoint checkpoint = zeros("deit_small_patch16_224");
  checkpoint.path = "flexivit_small.pth";
  checkpoint.state.insert("pos_embed", torch::zeros({1, 225, 384}));
  const ModelSummary summary = identifyModel(checkpoint, {});
  EXPECT_EQ(summary.family, "vit");
  EXPECT_THAT(summary.missing, ::testing::IsEmpty());
  EXPECT_THAT(summary.wrongShape, ::testing::IsEmpty());
  EXPECT_EQ(summary.transform.height, 240);
  EXPECT_EQ(summary.transform.width, 240);
}

TEST(OtherNetworks, NamesWithoutEndAreNotSearched) {
  StateDict state;
  state.insert(std::string(2 << 20, 'a') + ".attn.cpb_mlp.", torch::zeros({1}));
  EXPECT_EQ(otherNetworkText(state), "");
}

TEST(OtherNetworks, NoneIsWithoutAttentionBesideATransformer) {
  StateDict state;
  state.insert("teacher.layer1.0.conv1.weight", torch::zeros({4, 4, 3, 3}));
  state.insert("teacher.bn1.weight", torch::zeros({4}));
  EXPECT_THAT(otherNetworkText(state), HasSubstr("a network without attention"));
  state.insert("student.layers.0.0.to_qkv.weight", torch::zeros({12, 4}));
  EXPECT_EQ(otherNetworkText(state), "");
}

TEST(OtherNetworks, NetworksWithNamesOfAFamilyAreCalledWhatTheyAre) {
  const auto said = [](const std::vector<std::string>& names) {
    StateDict state;
    for (const std::string& name : names) state.insert(name, torch::zeros({1}));
    return otherNetworkText(state, NamesOfOthers::Unmistakable);
  };
  EXPECT_THAT(said({"layers.0.q.base_layer.weight", "layers.0.q.lora_A.default.weight",
                    "layers.0.q.lora_B.default.weight"}),
              HasSubstr("a network with LoRA adapters beside the weights that they change"));
  EXPECT_THAT(said({"patch_embed.proj.weight", "blocks.0.norm1.weight", "blocks.0.attn.qkv.weight",
                    "blocks.0.mlp.fc1.weight", "norm.weight"}),
              HasSubstr("DeepSeek's image encoder"))
      << "timm's classifier";
  EXPECT_THAT(said({"transformer.layers.0.0.fns.0.to_qkv.weight",
                    "transformer.layers.0.1.fns.0.net.1.weight"}),
              HasSubstr("parallel_vit"));
  EXPECT_THAT(said({"embeddings.distillation_token", "classifier.dense.weight",
                    "classifier.layernorm.weight"}),
              HasSubstr("a network for sound"));
  EXPECT_THAT(said({"swiftformer.encoder.network.0.blocks.0.depth_wise_conv.weight",
                    "swiftformer.encoder.network.0.blocks.1.attn.w_g"}),
              HasSubstr("SwiftFormer under Hugging Face's names"));
  EXPECT_THAT(said({"storage_tokens", "blocks.0.attn.wq.weight", "blocks.0.ffn.w12.weight"}),
              HasSubstr("Sapiens2"));
  EXPECT_THAT(said({"stages.1.blocks.0.mixer.m.qkv.c.weight"}), HasSubstr("SHViT"));
  EXPECT_THAT(said({"stem_dct.conv_y.weight"}), HasSubstr("CSATv2"));
  EXPECT_THAT(said({"blocks.0.gamma_1", "blocks.0.attn.qkv.weight"}), HasSubstr("BEiT"));
  EXPECT_THAT(said({"stages.0.blocks.0.channel_block.cpe1.proj.weight"}), HasSubstr("DaViT"));
  EXPECT_THAT(said({"stages.2.1.self_attn.pos_emb", "stages.2.1.self_attn.norm_q.weight"}),
              HasSubstr("LambdaNet"));
  EXPECT_THAT(said({"stages.0.0.attn.ba.conv_p.weight"}), HasSubstr("bilinear attention"));
  EXPECT_THAT(said({"stages.3.1.total.0.0.main.1.conv_proj.conv.1.weight",
                    "stages.3.1.total.0.0.main.1.pwise.weight",
                    "stages.3.1.total.0.0.main.1.upsampling.0.weight"}),
              HasSubstr("CPUBone"));
  EXPECT_THAT(
      said({"stages.3.1.attn.main.1.conv_proj.conv.weight", "stages.3.1.attn.main.1.pwise.weight",
            "stages.3.1.attn.main.1.upsampling.weight"}),
      HasSubstr("LowFormer"));
  const std::string block = "blocks.0.layers.0.layers.";
  EXPECT_THAT(said({block + "window_attention.attn_layer.0.weight"}), HasSubstr("MaxViT"));
  EXPECT_THAT(said({block + "grid_attention.attn_layer.0.weight"}), HasSubstr("MaxViT"));
  EXPECT_THAT(said({"conv_proj.conv_bn_relu_0.0.weight"}), HasSubstr("a stem of convolutions"));
  EXPECT_THAT(said({"blocks.0.attn.q_bias"}), HasSubstr("BEiT or EVA"));
  EXPECT_THAT(said({"neck.0.weight", "pos_embed", "blocks.0.attn.qkv.weight"}),
              HasSubstr("Segment Anything"));
}

TEST(OtherNetworks, PyramidsOfVitPytorchAreNamed) {
  const auto said = [](const std::vector<std::string>& names) {
    StateDict state;
    for (const std::string& name : names) state.insert(name, torch::zeros({1}));
    return otherNetworkText(state, NamesOfOthers::Unmistakable);
  };
  EXPECT_THAT(said({"layers.0.2.fn.to_qkv.weight", "layers.0.2.fn.rel_pos_bias.weight"}),
              HasSubstr("MaxViT"));
  EXPECT_THAT(said({"layers.1.downsample.net.0.weight", "layers.1.cls_ff.weight"}),
              HasSubstr("PiT"));
  EXPECT_THAT(said({"layers.1.class_linear.weight", "layers.1.merging.2.weight"}),
              HasSubstr("PiT with shifted patches"));
  EXPECT_THAT(said({"0.layers.0.0.pos_indices", "0.layers.0.0.pos_bias.weight",
                    "0.layers.0.0.to_q.0.weight"}),
              HasSubstr("LeViT"));
  EXPECT_THAT(said({"layers.0.0.pos_emb", "layers.0.0.layers.0.0.to_qkv.weight"}),
              HasSubstr("NesT"));
}

TEST(OtherNetworks, TimmsWithoutAttentionAreNamed) {
  const auto said = [](const std::vector<std::string>& names) {
    StateDict state;
    for (const std::string& name : names) state.insert(name, torch::zeros({1}));
    return otherNetworkText(state);
  };
  EXPECT_THAT(said({"stages.0.blocks.0.token_mixer.conv.c.weight",
                    "stages.0.blocks.0.channel_mixer.conv1.c.weight"}),
              HasSubstr("RepViT, a network without attention"));
  EXPECT_THAT(said({"stages.0.0.dwconv.conv.weight", "stages.0.0.f1.conv.weight",
                    "stages.0.0.f2.conv.weight", "stages.0.0.dwconv2.conv.weight"}),
              HasSubstr("StarNet, a network without attention"));
  EXPECT_THAT(said({"stages.0.blocks.0.fc1.weight", "stages.0.blocks.0.conv.weight",
                    "stages.0.blocks.0.fc2.weight"}),
              HasSubstr("MambaOut, a network without attention"));
}

TEST(OtherNetworks, NoOtherReadingIsOfferedWhereALibrarysClassTokenIsMissing) {
  const ExtendedCheckpoint file("golden/hub/hf_vit/model.safetensors", {},
                                {"vit.embeddings.cls_token"});
  try {
    openModel(file.request());
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cls_token, as ViTPose does"));
    EXPECT_THAT(error.what(), Not(HasSubstr("--arch structure")));
  }
  EXPECT_THAT(otherModelText("vitpose_backbone"), HasSubstr("ViTPose, which Softscope does not"));
  EXPECT_EQ(otherModelText("vit"), "");
}

}  // namespace
}  // namespace softscope
