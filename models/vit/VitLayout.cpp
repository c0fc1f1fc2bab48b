#include "models/vit/VitLayout.h"

#include "core/Error.h"
#include "models/identify/ShapeReader.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace softscope {

namespace {

/// Parts of names that occur in related networks with a different computation.
constexpr std::string_view relatives[] = {"tokens_to_token.",  "cls_attn_blocks.", "pos_embeder.",
                                          "relative_position", "pre_logits.",      "gamma"};

/// Prefixes that the library puts before the names of a network with a head.
constexpr std::string_view huggingFaceWrappers[] = {
    "", "vit.", "deit.", "dinov2.", "dinov2_with_registers.", "ijepa."};

constexpr std::string_view huggingFaceEmbedding = "embeddings.patch_embeddings.projection.";

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

std::vector<std::string> numberedBlocks(const ShapeReader& shapes, const std::string& list) {
  std::vector<std::string> paths;
  const int count = shapes.count(list);
  for (int index = 0; index < count; ++index) paths.push_back(list + std::to_string(index));
  return paths;
}

/// Returns the text before `part` in the first name that contains it.
std::optional<std::string> textBefore(const StateDict& state, std::string_view part) {
  for (const StateDict::Entry& entry : state.entries()) {
    const std::size_t at = entry.name.find(part);
    if (at != std::string::npos) return entry.name.substr(0, at);
  }
  return std::nullopt;
}

bool anyContains(const StateDict& state, std::string_view part) {
  return textBefore(state, part).has_value();
}

VitBlockNames huggingFaceVitBlock(bool isVersion5) {
  VitBlockNames names{.attention = "attention", .norm1 = "layernorm_before"};
  names.norm2 = "layernorm_after";
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

/// Returns true if the mlp's first product has the rows of both halves of a gate.
bool isPackedGate(const ShapeReader& shapes, const std::string& block, const VitBlockNames& names) {
  const auto rows =
      shapes.size({block + names.expand + ".weight", block + names.expand + ".bias"}, 0);
  const auto columns = shapes.size({block + names.contract + ".weight"}, 1);
  return rows && columns && *rows == 2 * *columns;
}

/// Returns true if a position table with this number of entries has one for every patch of a
/// square, and none for the tokens before them.
bool arePatchesAlone(int entries, int prefixTokens) {
  return squareSide(entries) > 0 && squareSide(entries - prefixTokens) == 0;
}

/// FlexiViT has a class token and positions for patches only. The same number of entries could also
/// be for a class token and patches that do not form a square; its own number is taken to mean
/// FlexiViT.
bool isFlexiVit(int entries, int patch) {
  return entries == 225 && patch == 16;
}

/// Returns the number of entries in the position table, if there is one.
std::optional<int> positionEntries(const ShapeReader& shapes, const VitNames& names) {
  return shapes.size({names.positions}, 1);
}

void readPrefix(const ShapeReader& shapes, const StateDict& state, VitConfiguration& sizes) {
  const VitNames& names = sizes.names;
  sizes.registers = names.registers.empty() ? 0 : shapes.size({names.registers}, 1).value_or(0);
  sizes.distillationToken =
      !names.distillationToken.empty() &&
      (state.contains(names.distillationToken) || !names.distillationHead.empty());
  // A table whose entries form a square, or a square and one for each register, needs none for a
  // class token; in other tables, a missing class token means damage.
  const auto entries = positionEntries(shapes, names);
  const bool isSquare =
      entries && (squareSide(*entries) > 0 ||
                  (sizes.registers > 0 && squareSide(*entries - sizes.registers) > 0));
  sizes.classToken = state.contains(names.classToken) || !isSquare;
}

/// Returns how many of the prefix tokens have positions. FlexiViT and timm's newer networks only
/// have positions for patches, as the number of entries shows.
int placedPrefix(int entries, const VitConfiguration& sizes) {
  if (sizes.names.addsRegistersLater) return sizes.classToken + sizes.distillationToken;
  const bool mayBeNone =
      sizes.registers > 0 || !sizes.names.block.scale1.empty() || isFlexiVit(entries, sizes.patch);
  const int all = sizes.prefixTokens();
  return mayBeNone && arePatchesAlone(entries, all) ? 0 : all;
}

void readPositions(const ShapeReader& shapes, VitConfiguration& sizes) {
  const auto entries = positionEntries(shapes, sizes.names);
  sizes.prefixPositions = entries ? placedPrefix(*entries, sizes) : sizes.prefixTokens();
  if (entries) sizes.positions = *entries - sizes.prefixPositions;
  sizes.positions = shapes.require(sizes.positions, "its positions");
}

void readMlp(const ShapeReader& shapes, VitConfiguration& sizes) {
  const VitBlockNames& names = sizes.names.block;
  const std::string block = sizes.names.blocks.front() + ".";
  auto hidden = shapes.size({block + names.contract + ".weight"}, 1);
  if (!hidden) {
    hidden = shapes.size({block + names.expand + ".weight", block + names.expand + ".bias"}, 0);
  }
  sizes.hidden = hidden.value_or(4 * sizes.channels);
  const bool isGated = !names.gate.empty() || isPackedGate(shapes, block, names);
  if (isGated) sizes.activation = VitActivation::Swiglu;
}

/// Reads the head. One of twice the width uses the class token beside the mean of the patches.
void readHead(const ShapeReader& shapes, VitConfiguration& sizes) {
  const VitNames& names = sizes.names;
  const std::string other = names.distillationHead.empty() ? names.head : names.distillationHead;
  sizes.classes =
      shapes
          .size({names.head + ".weight", names.head + ".bias", other + ".weight", other + ".bias"},
                0)
          .value_or(0);
  const int seen = shapes.size({names.head + ".weight"}, 1).value_or(sizes.channels);
  if (!names.attentionPool.empty()) {
    sizes.pooling = VitPooling::Attention;
    sizes.poolHidden =
        shapes
            .size({names.attentionPool + ".mlp.fc1.weight", names.attentionPool + ".mlp.fc1.bias"},
                  0)
            .value_or(4 * sizes.channels);
  } else if (seen == 2 * sizes.channels) {
    sizes.pooling = VitPooling::Both;
  } else if (!sizes.classToken || !names.poolingNorm.empty()) {
    sizes.pooling = VitPooling::Patches;
  }
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
  if (shapes.any("attn_pool.") && names.normBefore.empty()) names.attentionPool = "attn_pool";
  names.head = "head";
  if (state.contains("dist_token") || shapes.any("head_dist.")) {
    names.distillationHead = "head_dist";
  }
  return names;
}

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
  const bool isVersion5 = anyContains(state, ".attention.q_proj.");
  names.block =
      isHuggingFaceDinov2(state) ? huggingFaceDinov2Block(state) : huggingFaceVitBlock(isVersion5);
  nameHuggingFaceAttention(isVersion5, names.block);
  names.norm = wrapper + "layernorm";
  nameHuggingFaceHeads(state, names);
  return names;
}

VitConfiguration readVitConfiguration(const StateDict& state, VitNames names,
                                      const std::string& network) {
  const ShapeReader shapes(state, network);
  VitConfiguration sizes;
  shapes.require(static_cast<int>(names.blocks.size()), "its blocks");
  sizes.names = std::move(names);
  const VitNames& in = sizes.names;
  auto channels =
      shapes.size({in.embedding + ".weight", in.embedding + ".bias", in.norm + ".weight"}, 0);
  if (!channels) channels = shapes.size({in.classToken, in.positions}, 2);
  sizes.channels = shapes.require(channels, "its width");
  sizes.patch = std::max(1, shapes.size({in.embedding + ".weight"}, 2).value_or(16));
  readPrefix(shapes, state, sizes);
  readPositions(shapes, sizes);
  readMlp(shapes, sizes);
  readHead(shapes, sizes);
  // A layer norm before the blocks makes the embedding's bias redundant.
  sizes.embeddingBias = in.normBefore.empty() || state.contains(in.embedding + ".bias");
  const std::string& projection =
      in.block.queryKeyValue.empty() ? in.block.query : in.block.queryKeyValue;
  sizes.queryKeyValueBias = std::any_of(in.blocks.begin(), in.blocks.end(), [&](const auto& block) {
    return state.contains(block + "." + projection + ".bias");
  });
  return sizes;
}

}  // namespace softscope
