#include "models/identify/ParameterNames.h"
#include "models/identify/ShapeReader.h"
#include "models/vit/VitLayout.h"
#include "models/vit/VitNames.h"

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

}  // namespace softscope
