#include "models/pvt/PvtNames.h"

#include "models/identify/ParameterNames.h"
#include "models/identify/ShapeReader.h"

#include <optional>

namespace softscope {

namespace {

/// Returns what precedes `encoder.layers.` in Hugging Face's names; nothing for others.
std::optional<std::string> huggingFacePvt(const StateDict& state) {
  const auto before = textBefore(state, "encoder.layers.0.patch_embedding.");
  return before && anyContains(state, ".mlp.dwconv.dwconv.") ? before : std::nullopt;
}

/// The linear attentions that others put into PVTv2 have a depthwise convolution of V.
bool hasTimmPvtNames(const ShapeReader& shapes) {
  return shapes.any("patch_embed.proj.") && shapes.any("stages.0.blocks.", ".mlp.dwconv.weight") &&
         shapes.any("stages.0.blocks.", ".attn.kv.weight");
}

bool hasAuthorsPvtNames(const ShapeReader& shapes) {
  return shapes.any("patch_embed1.proj.") && shapes.any("block1.", ".mlp.dwconv.dwconv.weight") &&
         shapes.any("block1.", ".attn.kv.weight") && !shapes.any("block1.", ".attn.dwc.weight") &&
         !shapes.any("block1.", ".attn.positional_encoding") &&
         !shapes.any("block1.", ".attn.agent_bias");
}

PvtNames huggingFacePvtNames(const std::string& before) {
  PvtNames names{.library = PvtNames::Library::HuggingFace, .stages = before + "encoder.layers."};
  names.norm1 = "layer_norm_1";
  names.attention = "attention";
  names.query = "attention.query";
  names.keyValue.clear();
  names.key = "attention.key";
  names.value = "attention.value";
  names.reduction = "attention.spatial_reduction";
  names.reductionNorm = "attention.layer_norm";
  names.projection = "attention.proj";
  names.norm2 = "layer_norm_2";
  names.expand = "mlp.dense1";
  names.contract = "mlp.dense2";
  names.head = "classifier";
  return names;
}

}  // namespace

std::string PvtNames::embedding(int stage) const {
  if (library == Library::Authors) return "patch_embed" + std::to_string(stage + 1) + ".proj";
  if (library == Library::HuggingFace) {
    return stages + std::to_string(stage) + ".patch_embedding.proj";
  }
  return stage == 0 ? "patch_embed.proj" : stages + std::to_string(stage) + ".downsample.proj";
}

std::string PvtNames::embeddingNorm(int stage) const {
  const std::string path = embedding(stage);
  const std::string place = path.substr(0, path.rfind('.') + 1);
  return place + (library == Library::HuggingFace ? "layer_norm" : "norm");
}

std::string PvtNames::blocks(int stage) const {
  if (library == Library::Authors) return stages + std::to_string(stage + 1) + ".";
  return stages + std::to_string(stage) + ".blocks.";
}

std::string PvtNames::norm(int stage) const {
  if (library == Library::Authors) return "norm" + std::to_string(stage + 1);
  return stages + std::to_string(stage) +
         (library == Library::HuggingFace ? ".layer_norm" : ".norm");
}

bool hasPvtNames(const StateDict& state) {
  const ShapeReader shapes(state, "PVTv2");
  return huggingFacePvt(state).has_value() || hasTimmPvtNames(shapes) || hasAuthorsPvtNames(shapes);
}

PvtNames pvtNamesOf(const StateDict& state) {
  if (const auto before = huggingFacePvt(state)) return huggingFacePvtNames(*before);
  if (hasAuthorsPvtNames(ShapeReader(state, "PVTv2"))) return {.stages = "block"};
  PvtNames names{.library = PvtNames::Library::Timm, .stages = "stages."};
  names.depthwise = "mlp.dwconv";
  return names;
}

}  // namespace softscope
