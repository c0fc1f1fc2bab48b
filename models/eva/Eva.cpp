#include "core/Error.h"
#include "models/identify/Families.h"
#include "models/identify/ShapeReader.h"
#include "models/vit/TimmNames.h"
#include "models/vit/VitLayout.h"
#include "models/vit/VitModel.h"

#include <string>
#include <utility>

namespace softscope {

namespace {

struct PublishedEva {
  const char* size;
  int channels;
  std::size_t depth;
  int heads;
};

constexpr PublishedEva publishedEvas[] = {{"eva02_tiny", 192, 12, 3},
                                          {"eva02_small", 384, 12, 6},
                                          {"eva02_base", 768, 12, 12},
                                          {"eva02_large", 1024, 24, 16},
                                          {"eva_giant", 1408, 40, 16}};

/// EVA's blocks have biases of queries and of values alone, and EVA-02's a projection to each of
/// queries, keys and values. BEiT's, DINOv3's and other relatives have a table of relative
/// positions or layer scales as well, or no table of positions.
bool isEva(const StateDict& state) {
  const ShapeReader shapes(state, "EVA");
  const bool hasItsAttention =
      shapes.any("blocks.", ".attn.q_bias") ||
      (shapes.any("blocks.", ".attn.q_proj.weight") && shapes.any("blocks.", ".attn.proj.weight"));
  return hasItsAttention && state.contains("cls_token") && state.contains("pos_embed") &&
         !shapes.any("blocks.", ".relative_position_bias_table") && !shapes.any("rel_pos_bias.") &&
         !shapes.any("blocks.", ".gamma_1") && !shapes.any("norm_pre.") &&
         !shapes.any("blocks.", ".attn.inner_attn_ln.weight");
}

VitNames evaNames(const StateDict& state) {
  const ShapeReader shapes(state, "EVA");
  VitNames names = timmNames(state);
  if (shapes.any("blocks.", ".attn.q_proj.weight")) {
    names.block.queryKeyValue.clear();
    names.block.query = "attn.q_proj";
    names.block.key = "attn.k_proj";
    names.block.value = "attn.v_proj";
  } else {
    names.block.queryBias = "attn.q_bias";
    names.block.valueBias = "attn.v_bias";
  }
  if (shapes.any("blocks.", ".attn.norm.weight")) names.block.attentionNorm = "attn.norm";
  names.norm = shapes.any("fc_norm.") ? "" : "norm";
  names.biasesVary = true;
  return names;
}

const PublishedEva* publishedEva(const VitConfiguration& configuration) {
  for (const PublishedEva& variant : publishedEvas) {
    if (variant.channels == configuration.channels &&
        variant.depth == configuration.names.blocks.size()) {
      return &variant;
    }
  }
  return nullptr;
}

/// Throws ModelError for EVA-02's largest network, whose norms follow attention and mlp under the
/// same names, and for BEiT-3, which has EVA-02's norms without its gates and rotations.
void refuseEvasRelatives(const VitConfiguration& configuration) {
  constexpr int enormous = 1792;
  if (configuration.channels == enormous) {
    throw ModelError(
        "this is eva02_enormous, by its width of 1792: its norms stand behind attention and mlp, "
        "which Softscope does not compute");
  }
  const VitBlockNames& names = configuration.names.block;
  if (!configuration.isGated && (!names.mlpNorm.empty() || !names.attentionNorm.empty())) {
    throw ModelError(
        "this looks like BEiT-3, by its norms within attention and mlp without a gate, which "
        "Softscope does not compute");
  }
}

DefaultHeads evaHeads(const VitConfiguration& configuration) {
  if (const PublishedEva* published = publishedEva(configuration)) {
    return certainHeads(published->heads, std::string("as in ") + published->size);
  }
  return assumedHeads(configuration.channels, "EVA");
}

DefinedModel defineEva(const StateDict& state, const ModelHints& hints) {
  VitConfiguration configuration = readVitConfiguration(state, evaNames(state), "EVA");
  refuseEvasRelatives(configuration);
  if (configuration.isGated) {
    configuration.rotary = {.form = RotaryPositions::Form::Pairs, .base = 10000};
  }
  const std::string source = "as in timm's EVA, whose names these are";
  configuration.facts.activation = VitFact{"gelu", source};
  configuration.facts.epsilon = VitFact{"1e-06", source};
  configuration.facts.norm = VitFact{"pre", source};
  if (configuration.names.poolingNorm.empty()) {
    configuration.facts.pooling = VitFact{"cls", "by norm"};
  }
  InputTransform transform;
  inputSizeOfPositions(configuration.positions, configuration.patch, transform);
  transform.cropFraction = 1;
  const PublishedEva* published = publishedEva(configuration);
  const VitIdentity identity{.family = "eva",
                             .network = "EVA",
                             .variant = published == nullptr
                                            ? "custom"
                                            : std::string(published->size) + "_patch" +
                                                  std::to_string(configuration.patch) + "_" +
                                                  std::to_string(transform.height),
                             .transform = transform,
                             .pixelNorms = {"clip"},
                             .heads = evaHeads(configuration)};
  return defineVit(std::move(configuration), identity, hints);
}

}  // namespace

Family evaFamily() {
  return {.name = "eva",
          .networks = "EVA, EVA-02",
          .attention = "softmax",
          .recognises = isEva,
          .define = defineEva,
          .harmless = {"mask_token", "lm_head.*", "rope.freqs_*"}};
}

}  // namespace softscope
