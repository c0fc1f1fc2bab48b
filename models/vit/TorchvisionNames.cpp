#include "models/vit/TorchvisionNames.h"

#include "models/identify/ParameterNames.h"
#include "models/identify/ShapeReader.h"
#include "models/vit/VitLayout.h"

namespace softscope {

namespace {

constexpr const char* torchvisionBlocks = "encoder.layers.encoder_layer_";

}  // namespace

bool hasTorchvisionNames(const StateDict& state) {
  // No published network has a head of two layers, whose activation no weight tells: such a file is
  // read by its structure, which asks.
  return anyContains(state, torchvisionBlocks) && state.contains("encoder.pos_embedding") &&
         !state.contains("heads.pre_logits.weight");
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
  names.head = "heads.head";
  return names;
}

}  // namespace softscope
