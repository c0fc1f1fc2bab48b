#pragma once

#include "core/checkpoint/Checkpoint.h"
#include "models/vit/VitConfiguration.h"
#include "models/vit/VitNames.h"

#include <torch/types.h>

#include <string>
#include <vector>

namespace softscope {

/// Returns a vision transformer under timm's names with one block of 64 channels and one head.
inline VitConfiguration smallVit() {
  VitConfiguration configuration;
  configuration.names = timmNames({});
  configuration.names.blocks = {"blocks.0"};
  configuration.channels = 64;
  configuration.heads = 1;
  configuration.hidden = 64;
  return configuration;
}

/// Sizes of a vision transformer under timm's names, and its parts that the first ViT did not have.
struct PlainVit {
  int width = 192;
  int depth = 12;
  int patch = 16;
  int hidden = 0;  ///< 0: four times the width
  bool classToken = true;
  bool queryKeyValueBias = true;
  bool poolingNorm = false;  ///< `fc_norm` in place of `norm`
  bool normBefore = false;
  int side = 14;  ///< of the grid of patches
};

/// Returns a checkpoint of such a network, called `path`. Its tensors take no memory.
inline Checkpoint plainVit(const PlainVit& sizes, const std::string& path = "checkpoint.pth") {
  Checkpoint checkpoint;
  checkpoint.path = path;
  const auto add = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
    checkpoint.state.insert(name, torch::zeros({1}).expand(shape));
  };
  const auto addNorm = [&](const std::string& name) {
    add(name + ".weight", {sizes.width});
    add(name + ".bias", {sizes.width});
  };
  const auto addLinear = [&](const std::string& name, int outputs, int inputs) {
    add(name + ".weight", {outputs, inputs});
    add(name + ".bias", {outputs});
  };
  const int hidden = sizes.hidden > 0 ? sizes.hidden : 4 * sizes.width;
  if (sizes.classToken) add("cls_token", {1, 1, sizes.width});
  add("pos_embed", {1, sizes.side * sizes.side + (sizes.classToken ? 1 : 0), sizes.width});
  add("patch_embed.proj.weight", {sizes.width, 3, sizes.patch, sizes.patch});
  if (sizes.normBefore) {
    addNorm("norm_pre");
  } else {
    add("patch_embed.proj.bias", {sizes.width});
  }
  for (int i = 0; i < sizes.depth; ++i) {
    const std::string block = "blocks." + std::to_string(i) + ".";
    addNorm(block + "norm1");
    add(block + "attn.qkv.weight", {3 * sizes.width, sizes.width});
    if (sizes.queryKeyValueBias) add(block + "attn.qkv.bias", {3 * sizes.width});
    addLinear(block + "attn.proj", sizes.width, sizes.width);
    addNorm(block + "norm2");
    addLinear(block + "mlp.fc1", hidden, sizes.width);
    addLinear(block + "mlp.fc2", sizes.width, hidden);
  }
  addNorm(sizes.poolingNorm ? "fc_norm" : "norm");
  addLinear("head", 10, sizes.width);
  return checkpoint;
}

}  // namespace softscope
