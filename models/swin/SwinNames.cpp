#include "models/swin/SwinNames.h"

#include "models/identify/ParameterNames.h"
#include "models/identify/ShapeReader.h"

namespace softscope {

namespace {

/// Returns true if the first block of a stage has what tells windows: a table of biases, or a scale
/// of cosines.
bool hasWindows(const StateDict& state, const SwinNames& names) {
  const std::string block = names.blocks(0) + "0.";
  return state.contains(block + names.table) || state.contains(block + names.scale);
}

/// Returns true if the patch embedding is of pictures, which those of videos are not.
bool embedsPictures(const StateDict& state, const SwinNames& names) {
  const torch::Tensor* weight = state.find(names.embedding + ".weight");
  return weight == nullptr || weight->dim() == 4;
}

/// The authors merge patches at the end of a stage, timm at the beginning of the next.
std::optional<SwinNames> timmSwin(const StateDict& state) {
  SwinNames names{.embedding = "patch_embed.proj", .embeddingNorm = "patch_embed.norm"};
  const ShapeReader shapes(state, "Swin");
  if (!shapes.any("layers.0.blocks.0.attn.qkv.") || !hasWindows(state, names)) return std::nullopt;
  names.library = shapes.any("layers.0.downsample.") || shapes.any("layers.0.blocks.0.attn_mask")
                      ? SwinNames::Library::Authors
                      : SwinNames::Library::Timm;
  if (shapes.any("head.fc.")) {
    names.library = SwinNames::Library::Timm;
    names.head = "head.fc";
  }
  if (state.contains("absolute_pos_embed")) names.positions = "absolute_pos_embed";
  if (shapes.any("layers.", ".attn.q_bias")) {
    names.queryBias = "attn.q_bias";
    names.valueBias = "attn.v_bias";
  }
  return names;
}

std::optional<SwinNames> torchvisionSwin(const StateDict& state) {
  SwinNames names{.library = SwinNames::Library::Torchvision,
                  .embedding = "features.0.0",
                  .embeddingNorm = "features.0.2"};
  names.expand = "mlp.0";
  names.contract = "mlp.3";
  const ShapeReader shapes(state, "Swin");
  if (!shapes.any("features.1.0.attn.qkv.") || !hasWindows(state, names)) return std::nullopt;
  return names;
}

void nameHuggingFaceProjections(const StateDict& state, SwinNames& names) {
  // Files have the older names, networks in memory those of the library's fifth version.
  const bool isVersion5 = anyContains(state, ".attention.q_proj.");
  names.query = isVersion5 ? "attention.q_proj" : "attention.self.query";
  names.key = isVersion5 ? "attention.k_proj" : "attention.self.key";
  names.value = isVersion5 ? "attention.v_proj" : "attention.self.value";
  names.projection = isVersion5 ? "attention.o_proj" : "attention.output.dense";
  const std::string own = isVersion5 ? "attention.relative_position_bias." : "attention.self.";
  names.table = own + "relative_position_bias_table";
  names.index = own + "relative_position_index";
  names.scale = "attention.self.logit_scale";
  names.coordinates = "attention.self.relative_coords_table";
  names.positionMlp = "attention.self.continuous_position_bias_mlp";
  names.expand = isVersion5 ? "mlp.fc1" : "intermediate.dense";
  names.contract = isVersion5 ? "mlp.fc2" : "output.dense";
}

std::optional<SwinNames> huggingFaceSwin(const StateDict& state) {
  const auto before = textBefore(state, "encoder.layers.0.blocks.0.attention.");
  if (!before) return std::nullopt;
  SwinNames names{.library = SwinNames::Library::HuggingFace, .prefix = *before};
  names.embedding = *before + "embeddings.patch_embeddings.projection";
  names.embeddingNorm = *before + "embeddings.norm";
  if (state.contains(*before + "embeddings.position_embeddings")) {
    names.positions = *before + "embeddings.position_embeddings";
  }
  names.norm1 = "layernorm_before";
  names.attention = "attention";
  names.queryKeyValue.clear();
  nameHuggingFaceProjections(state, names);
  names.norm2 = "layernorm_after";
  names.norm = *before + "layernorm";
  names.head = "classifier";
  return hasWindows(state, names) ? std::optional(names) : std::nullopt;
}

}  // namespace

std::string SwinNames::blocks(int stage) const {
  if (library == Library::Torchvision) return "features." + std::to_string(2 * stage + 1) + ".";
  const std::string layers = library == Library::HuggingFace ? "encoder.layers." : "layers.";
  return prefix + layers + std::to_string(stage) + ".blocks.";
}

std::string SwinNames::merging(int stage) const {
  if (library == Library::Torchvision) return "features." + std::to_string(2 * stage);
  const std::string layers = library == Library::HuggingFace ? "encoder.layers." : "layers.";
  const int place = library == Library::Timm ? stage : stage - 1;
  return prefix + layers + std::to_string(place) + ".downsample";
}

std::optional<SwinNames> swinNamesOf(const StateDict& state) {
  for (const auto& find : {timmSwin, torchvisionSwin, huggingFaceSwin}) {
    const auto names = find(state);
    if (names && embedsPictures(state, *names)) return names;
  }
  return std::nullopt;
}

}  // namespace softscope
