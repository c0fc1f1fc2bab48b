#include "core/Error.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Families.h"
#include "models/identify/OtherNetworks.h"
#include "models/identify/ResolvedSetting.h"
#include "models/identify/ShapeReader.h"
#include "models/identify/StoredOptions.h"
#include "models/vit/VitLayout.h"
#include "models/vit/VitModel.h"
#include "models/vit/VitNames.h"
#include "models/vit/VitRotationSettings.h"
#include "models/vit/VitSettings.h"

#include <string>
#include <utility>
#include <vector>

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
/// positions as well, or no table of positions.
bool isEva(const StateDict& state) {
  const ShapeReader shapes(state, "EVA");
  const bool hasItsAttention =
      shapes.any("blocks.", ".attn.q_bias") ||
      (shapes.any("blocks.", ".attn.q_proj.weight") && shapes.any("blocks.", ".attn.proj.weight"));
  return hasItsAttention && state.contains("cls_token") && state.contains("pos_embed") &&
         !shapes.any("blocks.", ".relative_position_bias_table") && !shapes.any("rel_pos_bias.") &&
         !shapes.any("norm_pre.") && !shapes.any("blocks.", ".attn.inner_attn_ln.weight");
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
/// same names, for BEiT-3, which has EVA-02's norms without its gates and rotations, and for a
/// learned query, which in timm's EVA also attends to the class token.
void refuseEvasRelatives(const VitConfiguration& configuration) {
  constexpr int enormous = 1792;
  if (configuration.channels == enormous) {
    throw ModelError(
        "this is eva02_enormous, by its width of 1792: its norms stand behind attention and mlp, "
        "which Softscope does not compute");
  }
  if (!configuration.names.pool.layer.empty()) {
    throw ModelError("the query of its " + configuration.names.pool.layer +
                     " also attends to the class token, which Softscope does not compute; " +
                     recordingAdvice());
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

/// config.json's key of the grid that rotations were trained on, which no weight tells.
constexpr const char* referenceKey = "ref_feat_shape";

constexpr double usualRotaryBase = 10000;

constexpr UsualRotation usualEvaRotation{.network = "EVA", .type = "cat", .rotatesHalves = "false"};

/// Returns true if timm's name in config.json is of an EVA; `said` may be null.
bool isNamedEva(const ConfigurationFile* said) {
  return said != nullptr && said->architecture.starts_with("eva");
}

/// Returns the side of the grid that rotations were trained on unless something else tells it.
int usualReference(bool isEva02) {
  return isEva02 ? RotaryPositions{}.reference : 0;
}

/// Returns how timm rotates the positions of a network that config.json names; `said` may be null.
/// EVA-02 rotates unless its arguments deny it, and EVA does not unless they say so. Throws
/// ModelError for rotations that are not computed.
RotaryPositions rotationOf(const VitConfiguration& configuration, const ConfigurationFile* said,
                           const ModelHints& hints) {
  const std::string name = said == nullptr ? "" : said->architecture;
  const bool isUsual =
      name.starts_with("eva02_") || (configuration.isGated && !name.starts_with("eva_"));
  if (!toldFlag(evaRotatesKey, said, hints).value_or(isUsual)) return {};
  requireUsualRotation(usualEvaRotation, said);
  const auto reference = toldReferenceSide(said, hints);
  if (!reference) requireConfigured(said, referenceKey, {"equal sides"}, "EVA");
  return {.form = RotaryPositions::Form::Pairs,
          .base = toldRotaryBase(said, hints).value_or(usualRotaryBase),
          .reference = reference.value_or(usualReference(isUsual))};
}

/// Returns what the head sees by the norm behind the blocks, which is called fc_norm if it is of
/// what is pooled. That is certain of published sizes and names.
VitFact evaPooling(bool isKnown, const VitConfiguration& configuration) {
  const std::string& ofPooled = configuration.names.poolingNorm;
  const char* usual = ofPooled.empty() ? "cls" : "mean";
  const std::string norm = ofPooled.empty() ? configuration.names.norm : ofPooled;
  if (isKnown) return {usual, "by " + norm};
  return {usual, "timm's EVA may have " + norm + " with any global_pool, and no weight tells it",
          false};
}

/// Sets what timm's EVA has beside its weights. The norms' place is certain of published sizes, and
/// of what config.json says or names; `isKnown` says that sizes or a name are published.
void setEvaFacts(bool isKnown, bool isNormTold, VitConfiguration& configuration) {
  const std::string source = "as in timm's EVA, whose names these are";
  configuration.facts.activation = VitFact{"gelu", source};
  configuration.facts.epsilon = VitFact{"1e-06", source};
  if (!isKnown) {
    configuration.facts.epsilon = VitFact{
        "1e-06", "timm's EVA may have any norm_layer, and no weight tells its epsilon", false};
  }
  configuration.facts.norm = VitFact{"pre", source};
  if (!isNormTold) {
    configuration.facts.norm =
        VitFact{"pre",
                "timm's EVA may have its norms behind attention and mlp (use_post_norm), which "
                "Softscope does not compute, and no weight tells it",
                false};
  }
  configuration.facts.pooling = evaPooling(isKnown, configuration);
}

/// Returns the base and the grid of a rotation: what was told, or is assumed of sizes that nobody
/// published. Usual numbers of a published network are none.
std::vector<NetworkSetting> rotationNumbers(const RotaryPositions& rotary, bool isPublished,
                                            bool isGated, const ConfigurationFile* said,
                                            const ModelHints& hints) {
  std::vector<NetworkSetting> numbers;
  if (rotary.form == RotaryPositions::Form::None) return numbers;
  // A converted file has no name beside it, and its weights alone say whether it is EVA-02.
  const bool isNamed = isNamedEva(said);
  if (!isPublished || rotary.base != usualRotaryBase) {
    const bool isTold = isNamed || toldRotaryBase(said, hints);
    numbers.push_back(isTold ? toldRotaryBaseSetting(rotary.base, hints)
                             : assumedRotaryBaseSetting(rotary.base));
  }
  if (!isPublished || rotary.reference != usualReference(isGated)) {
    const bool isTold = isNamed || toldReferenceSide(said, hints);
    NetworkSetting side = toldSetting(referenceKey, std::to_string(rotary.reference), hints);
    if (!isTold) {
      side.source = "assumed";
      side.why =
          "rotations may have been trained on a grid of another side, which config.json or "
          "the file's metadata tell, and no weight does";
    }
    numbers.push_back(side);
  }
  return numbers;
}

DefinedModel defineEva(const StateDict& state, const ModelHints& hints) {
  VitConfiguration configuration = readVitConfiguration(state, evaNames(state), "EVA");
  refuseEvasRelatives(configuration);
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  requireConfigured(said, "use_post_norm", {"false"}, "EVA");
  configuration.rotary = rotationOf(configuration, said, hints);
  const RotaryPositions rotary = configuration.rotary;
  const bool isGated = configuration.isGated;
  const bool isPublished = publishedEva(configuration) != nullptr;
  const bool isNamed = isNamedEva(said);
  const bool isRotationTold = isNamed || toldFlag(evaRotatesKey, said, hints).has_value();
  const bool isKnown = isPublished || isNamed;
  setEvaFacts(isKnown, isKnown || !configuredValue(said, "use_post_norm").empty(), configuration);
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
  DefinedModel model = defineVit(std::move(configuration), identity, hints);
  resolveHeadScale("EVA", isPublished, hints, model.summary);
  const bool rotates = rotary.form != RotaryPositions::Form::None;
  if (isRotationTold) {
    const NetworkSetting told = toldSetting(evaRotatesKey, rotates ? "true" : "false", hints);
    describeSetting(told, model.summary);
  } else if (!isPublished) {
    describeSetting(guessedEvaRotation(rotates), model.summary);
  }
  describeSettings(rotationNumbers(rotary, isPublished, isGated, said, hints), model.summary);
  if (rotates) describeUsualRotation(usualEvaRotation, isPublished, said, hints, model.summary);
  return model;
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
