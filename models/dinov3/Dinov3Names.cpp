#include "models/dinov3/Dinov3Names.h"

#include "models/identify/ParameterNames.h"
#include "models/identify/ShapeReader.h"
#include "models/vit/TimmNames.h"
#include "models/vit/VitLayout.h"

#include <optional>
#include <string>

namespace softscope {

namespace {

bool hasFacebookDinov3Names(const StateDict& state) {
  return state.contains("storage_tokens") || state.contains("rope_embed.periods");
}

bool hasTimmDinov3Names(const StateDict& state) {
  const ShapeReader shapes(state, "DINOv3");
  return state.contains("cls_token") && state.contains("reg_token") &&
         !state.contains("pos_embed") && shapes.any("blocks.", ".gamma_1") &&
         shapes.any("blocks.", ".attn.qkv.weight");
}

/// Returns what precedes Hugging Face's names of blocks: nothing, or `model.` in memory.
std::optional<std::string> huggingFaceBlocks(const StateDict& state) {
  if (!anyContains(state, "embeddings.register_tokens") ||
      anyContains(state, "embeddings.position_embeddings")) {
    return std::nullopt;
  }
  const auto before = textBefore(state, "layer.0.");
  return before && anyContains(state, ".attention.q_proj.") ? before : std::nullopt;
}

VitNames facebookDinov3Names(const StateDict& state) {
  const ShapeReader shapes(state, "DINOv3");
  VitNames names = timmNames(state);
  names.library = "Facebook's";
  names.registers = "storage_tokens";
  names.positions.clear();
  names.normBefore.clear();
  names.rotaryPeriods = "rope_embed.periods";
  if (shapes.any("blocks.", ".attn.qkv.bias_mask")) names.block.biasMask = "attn.qkv.bias_mask";
  if (shapes.any("blocks.", ".mlp.w1.weight")) {
    names.block.gate = "mlp.w1";
    names.block.expand = "mlp.w2";
    names.block.contract = "mlp.w3";
  }
  if (shapes.any("cls_norm.")) names.prefixNorm = "cls_norm";
  names.biasesVary = true;
  return names;
}

VitNames timmDinov3Names(const StateDict& state) {
  const ShapeReader shapes(state, "DINOv3");
  VitNames names = timmNames(state);
  names.positions.clear();
  names.block.scale1 = "gamma_1";
  names.block.scale2 = "gamma_2";
  if (shapes.any("blocks.", ".attn.q_bias")) {
    names.block.queryBias = "attn.q_bias";
    names.block.valueBias = "attn.v_bias";
  }
  names.biasesVary = true;
  return names;
}

VitNames huggingFaceDinov3Names(const StateDict& state, const std::string& before) {
  const ShapeReader shapes(state, "DINOv3");
  const std::string wrapper = textBefore(state, "embeddings.register_tokens").value_or("");
  const std::string embeddings = wrapper + "embeddings.";
  VitNames names{.library = "Hugging Face's", .classToken = embeddings + "cls_token"};
  names.registers = embeddings + "register_tokens";
  names.embedding = embeddings + "patch_embeddings";
  names.blocks = numberedBlocks(shapes, before + "layer.");
  names.block = {.attention = "attention", .norm1 = "norm1"};
  names.block.query = "attention.q_proj";
  names.block.key = "attention.k_proj";
  names.block.value = "attention.v_proj";
  names.block.projection = "attention.o_proj";
  names.block.scale1 = "layer_scale1.lambda1";
  names.block.norm2 = "norm2";
  names.block.expand = "mlp.up_proj";
  if (anyContains(state, ".mlp.gate_proj.")) names.block.gate = "mlp.gate_proj";
  names.block.contract = "mlp.down_proj";
  names.block.scale2 = "layer_scale2.lambda1";
  names.biasesVary = true;
  names.configuresGate = true;
  names.norm = wrapper + "norm";
  return names;
}

}  // namespace

bool hasDinov3Names(const StateDict& state) {
  return hasFacebookDinov3Names(state) || hasTimmDinov3Names(state) ||
         huggingFaceBlocks(state).has_value();
}

VitNames dinov3Names(const StateDict& state) {
  if (hasFacebookDinov3Names(state)) return facebookDinov3Names(state);
  if (const auto before = huggingFaceBlocks(state)) return huggingFaceDinov3Names(state, *before);
  return timmDinov3Names(state);
}

}  // namespace softscope
