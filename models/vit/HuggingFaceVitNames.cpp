#include "models/identify/ParameterNames.h"
#include "models/identify/ShapeReader.h"
#include "models/vit/VitLayout.h"
#include "models/vit/VitNames.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace softscope {

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

/// Returns the width of the tokens; 0 if the file lacks what tells it.
std::int64_t widthOf(const StateDict& state, const VitNames& names) {
  const torch::Tensor* filters = state.find(names.embedding + ".weight");
  return filters != nullptr && filters->dim() > 0 ? filters->size(0) : 0;
}

/// Sets the names of the heads. Only a model with a teacher has the distillation token; its head is
/// missing if it was trained without one. A classifier of somebody's own may have other parts.
void nameHuggingFaceHeads(const StateDict& state, VitNames& names) {
  constexpr const char* usual = "classifier";
  if (anyContains(state, "distillation_classifier.")) {
    names.head = "cls_classifier";
    names.distillationHead = "distillation_classifier";
  } else if (isLinearOfTokens(state, usual, widthOf(state, names)) ||
             (state.contains("classifier.bias") && !state.contains("classifier.weight"))) {
    names.head = usual;
  }
}

/// Returns the pooler's path if its result is as wide as a token; otherwise nothing.
std::string poolerPath(const StateDict& state, const std::string& wrapper, std::int64_t width) {
  std::string path = wrapper + "pooler.dense";
  const torch::Tensor* weight = state.find(path + ".weight");
  const bool isSquare = weight != nullptr && weight->dim() == 2 && weight->size(0) == width &&
                        weight->size(1) == width;
  return isSquare && state.contains(path + ".bias") ? path : std::string();
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

std::string huggingFaceWrapper(const StateDict& state) {
  if (hasMixedHuggingFaceNames(state)) return {};
  return textBefore(state, huggingFaceEmbedding).value_or("");
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
  names.pooler = poolerPath(state, wrapper, widthOf(state, names));
  return names;
}

bool isLinearOfTokens(const StateDict& state, const std::string& path, std::int64_t width) {
  const torch::Tensor* weight = state.find(path + ".weight");
  const torch::Tensor* bias = state.find(path + ".bias");
  if (weight == nullptr || bias == nullptr || weight->dim() != 2 || bias->dim() != 1) return false;
  return width > 0 && (weight->size(1) == width || weight->size(1) == 2 * width);
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
