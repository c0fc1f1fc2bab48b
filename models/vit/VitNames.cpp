#include "models/vit/VitNames.h"

#include "core/Error.h"
#include "models/identify/ParameterNames.h"
#include "models/identify/ShapeReader.h"
#include "models/vit/VitLayout.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

namespace softscope {

namespace {

constexpr const char* torchvisionBlocks = "encoder.layers.encoder_layer_";

/// Returns the only Linear among the heads, which people replace for their own classes, alone or in
/// a Sequential: `heads`, `heads.1`. If there are several, it is torchvision's own, `heads.head`.
std::string torchvisionHead(const StateDict& state) {
  constexpr std::string_view weight = ".weight";
  std::vector<std::string> products;
  for (const StateDict::Entry& entry : state.entries()) {
    if (!entry.name.starts_with("heads.") || !entry.name.ends_with(weight)) continue;
    const bool isInFront = entry.name.starts_with("heads.pre_logits.");
    if (isInFront || entry.tensor.dim() != 2) continue;
    products.push_back(entry.name.substr(0, entry.name.size() - weight.size()));
  }
  return products.size() == 1 ? products.front() : "heads.head";
}

}  // namespace

bool hasTorchvisionNames(const StateDict& state) {
  return anyContains(state, torchvisionBlocks) && state.contains("encoder.pos_embedding");
}

VitNames torchvisionNames(const StateDict& state) {
  VitNames names{.library = "torchvision's", .classToken = "class_token"};
  names.positions = "encoder.pos_embedding";
  names.embedding = "conv_proj";
  names.blocks = numberedBlocks(ShapeReader(state, "ViT"), torchvisionBlocks);
  names.block = {.attention = "self_attention", .norm1 = "ln_1"};
  names.block.queryKeyValue = "self_attention.in_proj_";
  names.block.projection = "self_attention.out_proj";
  names.block.norm2 = "ln_2";
  const bool isOld = anyContains(state, ".mlp.linear_1.");
  names.block.expand = isOld ? "mlp.linear_1" : "mlp.0";
  names.block.contract = isOld ? "mlp.linear_2" : "mlp.3";
  names.norm = "encoder.ln";
  names.head = torchvisionHead(state);
  if (state.contains("heads.pre_logits.weight")) names.headHidden = "heads.pre_logits";
  return names;
}

namespace {

/// Parts of names that occur in related networks with a different computation.
constexpr std::string_view relatives[] = {"tokens_to_token.",  "cls_attn_blocks.", "pos_embeder.",
                                          "relative_position", "pre_logits.",      "gamma"};

bool isRelative(std::string_view name) {
  if (name.ends_with(".ls1.gamma") || name.ends_with(".ls2.gamma")) return false;
  return std::any_of(std::begin(relatives), std::end(relatives), [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

/// Returns `12` for `12.norm1.weight`; nothing if the text before the dot is not a whole number.
std::optional<int> leadingIndex(std::string_view text) {
  int index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  const bool isIndex = error == std::errc() && index >= 0 && end != text.data() + text.size();
  if (!isIndex || *end != '.') return std::nullopt;
  return index;
}

/// Returns the paths of blocks that are grouped in chunks, `blocks.0.3`; empty if there are no
/// chunks.
std::vector<std::string> chunkedBlocks(const StateDict& state) {
  constexpr std::string_view list = "blocks.";
  std::map<int, std::string> blocks;
  for (const StateDict::Entry& entry : state.entries()) {
    const std::string_view name = entry.name;
    if (!startsWith(name, list)) continue;
    const std::size_t dot = name.find('.', list.size());
    if (dot == std::string_view::npos || !leadingIndex(name.substr(list.size()))) continue;
    const auto index = leadingIndex(name.substr(dot + 1));
    if (index) blocks[*index] = name.substr(0, name.find('.', dot + 1));
  }
  constexpr std::size_t mostBlocks = 1024;
  if (blocks.size() > mostBlocks) {
    throw ModelError("this looks like a vision transformer, but it has " +
                     std::to_string(blocks.size()) +
                     " blocks, which no network has; the file may be damaged");
  }
  std::vector<std::string> paths;
  for (const auto& [index, path] : blocks) paths.push_back(path);
  return paths;
}

VitPoolNames timmPoolNames() {
  VitPoolNames names{.layer = "attn_pool", .latent = "attn_pool.latent"};
  names.query = "attn_pool.q";
  names.keyValue = "attn_pool.kv";
  names.projection = "attn_pool.proj";
  names.norm = "attn_pool.norm";
  names.expand = "attn_pool.mlp.fc1";
  names.contract = "attn_pool.mlp.fc2";
  return names;
}

}  // namespace

bool hasTimmNames(const StateDict& state) {
  bool attention = false;
  for (const StateDict::Entry& entry : state.entries()) {
    const std::string_view name = entry.name;
    if (isRelative(name)) return false;
    attention = attention || (startsWith(name, "blocks.") &&
                              (name.find(".attn.qkv.") != std::string_view::npos ||
                               name.find(".attn.proj.") != std::string_view::npos));
  }
  const ShapeReader shapes(state, "a vision transformer");
  return attention && (shapes.any("patch_embed.proj.") || shapes.any("pos_embed"));
}

bool hasMoreThanDeit(const StateDict& state) {
  const ShapeReader shapes(state, "a vision transformer");
  const auto positions = shapes.size({"pos_embed"}, 1);
  const int patch = shapes.size({"patch_embed.proj.weight"}, 2).value_or(0);
  const bool hasNoPlaceForClassToken =
      positions && arePatchesAlone(*positions, 1) &&
      (!state.contains("cls_token") || isFlexiVit(*positions, patch));
  return hasNoPlaceForClassToken || shapes.any("attn_pool.") ||
         shapes.any("blocks.", ".ls1.gamma") || state.contains("reg_token") ||
         state.contains("register_tokens") || shapes.any("norm_pre.") || shapes.any("fc_norm.") ||
         shapes.any("blocks.", ".mlp.w12.weight");
}

VitNames timmNames(const StateDict& state) {
  const ShapeReader shapes(state, "a vision transformer");
  VitNames names{.library = {}, .classToken = "cls_token", .distillationToken = "dist_token"};
  names.registers = state.contains("register_tokens") ? "register_tokens" : "reg_token";
  names.positions = "pos_embed";
  names.embedding = "patch_embed.proj";
  if (shapes.any("norm_pre.")) names.normBefore = "norm_pre";
  names.blocks = chunkedBlocks(state);
  if (names.blocks.empty()) names.blocks = numberedBlocks(shapes, "blocks.");
  names.block = {.attention = "attn", .norm1 = "norm1", .queryKeyValue = "attn.qkv"};
  names.block.projection = "attn.proj";
  if (shapes.any("blocks.", ".ls1.gamma")) names.block.scale1 = "ls1.gamma";
  names.block.norm2 = "norm2";
  const bool isPacked = shapes.any("blocks.", ".mlp.w12.weight");
  names.block.expand = isPacked ? "mlp.w12" : "mlp.fc1";
  names.block.contract = isPacked ? "mlp.w3" : "mlp.fc2";
  if (shapes.any("blocks.", ".mlp.fc1_g.weight")) {
    names.block.gate = "mlp.fc1_g";
    names.block.expand = "mlp.fc1_x";
  }
  if (shapes.any("blocks.", ".mlp.norm.weight")) names.block.mlpNorm = "mlp.norm";
  if (shapes.any("blocks.", ".ls2.gamma")) names.block.scale2 = "ls2.gamma";
  // InternViT's copies have neither a norm after the blocks nor a head.
  const bool endsWithBlocks = !names.block.scale1.empty() && !shapes.any("norm.") &&
                              !shapes.any("fc_norm.") && !shapes.any("head.");
  if (shapes.any("fc_norm.")) {
    names.poolingNorm = "fc_norm";
  } else if (!endsWithBlocks) {
    names.norm = "norm";
  }
  // The Perception Encoder has a norm before the blocks, and its pool also attends to the class
  // token.
  if (shapes.any("attn_pool.") && names.normBefore.empty()) names.pool = timmPoolNames();
  names.head = "head";
  if (state.contains("dist_token") || shapes.any("head_dist.")) {
    names.distillationHead = "head_dist";
  }
  return names;
}

namespace {

/// Prefixes that the library puts before the names of a network with a head.
constexpr std::string_view huggingFaceWrappers[] = {
    "", "vit.", "deit.", "dinov2.", "dinov2_with_registers.", "ijepa."};

constexpr std::string_view huggingFaceEmbedding = "embeddings.patch_embeddings.projection.";

VitBlockNames huggingFaceVitBlock(const StateDict& state) {
  VitBlockNames names{.attention = "attention", .norm1 = "layernorm_before"};
  names.norm2 = "layernorm_after";
  const bool isVersion5 = anyContains(state, ".mlp.fc1.");
  names.expand = isVersion5 ? "mlp.fc1" : "intermediate.dense";
  names.contract = isVersion5 ? "mlp.fc2" : "output.dense";
  return names;
}

VitBlockNames huggingFaceDinov2Block(const StateDict& state) {
  VitBlockNames names{.attention = "attention", .norm1 = "norm1"};
  names.norm2 = "norm2";
  names.scale1 = "layer_scale1.lambda1";
  names.scale2 = "layer_scale2.lambda1";
  names.expand = "mlp.fc1";
  names.contract = "mlp.fc2";
  if (anyContains(state, ".mlp.weights_in.")) {
    names.expand = "mlp.weights_in";
    names.contract = "mlp.weights_out";
  } else if (anyContains(state, ".mlp.gate_proj.")) {
    names.expand = "mlp.up_proj";
    names.gate = "mlp.gate_proj";
    names.contract = "mlp.down_proj";
  }
  return names;
}

void nameHuggingFaceAttention(bool isVersion5, VitBlockNames& names) {
  names.query = isVersion5 ? "attention.q_proj" : "attention.attention.query";
  names.key = isVersion5 ? "attention.k_proj" : "attention.attention.key";
  names.value = isVersion5 ? "attention.v_proj" : "attention.attention.value";
  names.projection = isVersion5 ? "attention.o_proj" : "attention.output.dense";
}

/// Sets the names of the heads. Only a model with a teacher has the distillation token; its head is
/// missing if it was trained without one.
void nameHuggingFaceHeads(const StateDict& state, VitNames& names) {
  const bool hasTwo = anyContains(state, "distillation_classifier.");
  names.head = hasTwo ? "cls_classifier" : "classifier";
  if (hasTwo) names.distillationHead = "distillation_classifier";
}

}  // namespace

bool hasHuggingFaceNames(const StateDict& state) {
  const auto wrapper = textBefore(state, huggingFaceEmbedding);
  const bool isOwn =
      wrapper && std::ranges::find(huggingFaceWrappers, *wrapper) != std::end(huggingFaceWrappers);
  return isOwn && (anyContains(state, ".layernorm_before.") || isHuggingFaceDinov2(state));
}

bool isHuggingFaceDinov2(const StateDict& state) {
  return anyContains(state, ".layer_scale1.lambda1");
}

bool isHuggingFaceDeit(const StateDict& state) {
  return anyContains(state, "embeddings.distillation_token");
}

bool hasMixedHuggingFaceNames(const StateDict& state) {
  const std::string wrapper = textBefore(state, huggingFaceEmbedding).value_or("");
  return !wrapper.empty() && ShapeReader(state, "ViT-MSN").any("encoder.layer.");
}

VitNames huggingFaceNames(const StateDict& state) {
  const ShapeReader shapes(state, "a vision transformer");
  const std::string wrapper = textBefore(state, huggingFaceEmbedding).value_or("");
  const std::string embeddings = wrapper + "embeddings.";
  VitNames names{.library = "Hugging Face's", .classToken = embeddings + "cls_token"};
  names.distillationToken = embeddings + "distillation_token";
  names.registers = embeddings + "register_tokens";
  names.positions = embeddings + "position_embeddings";
  names.addsRegistersLater = true;
  names.embedding = embeddings + "patch_embeddings.projection";
  names.blocks = numberedBlocks(shapes, wrapper + "encoder.layer.");
  if (names.blocks.empty()) names.blocks = numberedBlocks(shapes, wrapper + "layers.");
  if (hasMixedHuggingFaceNames(state)) names.blocks = numberedBlocks(shapes, "encoder.layer.");
  names.block =
      isHuggingFaceDinov2(state) ? huggingFaceDinov2Block(state) : huggingFaceVitBlock(state);
  nameHuggingFaceAttention(anyContains(state, ".attention.q_proj."), names.block);
  names.norm = wrapper + "layernorm";
  nameHuggingFaceHeads(state, names);
  return names;
}

VitBlockNames huggingFaceClipBlock() {
  VitBlockNames names{.attention = "self_attn", .norm1 = "layer_norm1"};
  names.query = "self_attn.q_proj";
  names.key = "self_attn.k_proj";
  names.value = "self_attn.v_proj";
  names.projection = "self_attn.out_proj";
  names.norm2 = "layer_norm2";
  names.expand = "mlp.fc1";
  names.contract = "mlp.fc2";
  return names;
}

}  // namespace softscope
