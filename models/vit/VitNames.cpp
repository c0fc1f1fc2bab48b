#include "models/vit/VitNames.h"

#include "core/Error.h"
#include "models/identify/ShapeReader.h"
#include "models/vit/VitLayout.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>

namespace softscope {

namespace {

/// Parts of names that occur in related networks with a different computation.
constexpr std::string_view relatives[] = {
    "tokens_to_token.", "cls_attn_blocks.", "blocks_token_only.", "pos_embeder.",
    "relative_position", "pre_logits.", "gamma",
    // The second half of DeiT's parallel blocks, which run side by side with the first.
    ".attn1.", ".mlp1."};

/// Returns true for a layer scale under timm's name, or under that of DeiT III and BEiT.
bool isLayerScale(std::string_view name) {
  constexpr std::string_view scales[] = {".ls1.gamma", ".ls2.gamma", ".gamma_1", ".gamma_2"};
  return std::ranges::any_of(scales, [&](std::string_view scale) { return name.ends_with(scale); });
}

bool isRelative(std::string_view name) {
  if (isLayerScale(name)) return false;
  return std::any_of(std::begin(relatives), std::end(relatives), [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

/// Returns true if the blocks have norms of which none has a bias, as RMS norms: whether they are
/// some, structure asks.
bool areNormsUnbiased(const ShapeReader& shapes) {
  const auto has = [&](const char* ending) { return shapes.any("blocks.", ending); };
  return has(".norm1.weight") && !has(".norm1.bias") && !has(".norm2.bias");
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
  bool hasPlainScale = false;
  for (const StateDict::Entry& entry : state.entries()) {
    const std::string_view name = entry.name;
    if (isRelative(name)) return false;
    hasPlainScale = hasPlainScale || name.ends_with(".gamma_1");
    attention = attention || (startsWith(name, "blocks.") &&
                              (name.find(".attn.qkv.") != std::string_view::npos ||
                               name.find(".attn.proj.") != std::string_view::npos));
  }
  const ShapeReader shapes(state, "a vision transformer");
  // BEiT and DINOv3 have such scales and no table of positions.
  if (hasPlainScale && !state.contains("pos_embed")) return false;
  return attention && (shapes.any("patch_embed.proj.") || shapes.any("pos_embed")) &&
         !areNormsUnbiased(shapes);
}

bool hasMoreThanDeit(const StateDict& state) {
  const ShapeReader shapes(state, "a vision transformer");
  const auto positions = shapes.size({"pos_embed"}, 1);
  const int patch = shapes.size({"patch_embed.proj.weight"}, 2).value_or(0);
  const bool hasNoPlaceForClassToken =
      positions && arePatchesAlone(*positions, 1) &&
      (!state.contains("cls_token") || isFlexiVit(*positions, patch));
  return hasNoPlaceForClassToken || shapes.any("attn_pool.") ||
         shapes.any("blocks.", ".ls1.gamma") || shapes.any("blocks.", ".gamma_1") ||
         state.contains("reg_token") || state.contains("register_tokens") ||
         shapes.any("norm_pre.") || shapes.any("fc_norm.") ||
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
  if (shapes.any("blocks.", ".attn.norm.weight")) names.block.attentionNorm = "attn.norm";
  const bool hasPlainScales = shapes.any("blocks.", ".gamma_1");
  if (shapes.any("blocks.", ".ls1.gamma")) names.block.scale1 = "ls1.gamma";
  if (hasPlainScales) names.block.scale1 = "gamma_1";
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
  if (hasPlainScales) names.block.scale2 = "gamma_2";
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
  const bool isProbe = state.contains("head.0.running_mean") && !state.contains("head.0.weight");
  if (isProbe) names.headNorm = "head.0";
  names.head = isProbe ? "head.1" : "head";
  if (state.contains("dist_token") || shapes.any("head_dist.")) {
    names.distillationHead = "head_dist";
  }
  return names;
}

}  // namespace softscope
