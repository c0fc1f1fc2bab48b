#include "core/Error.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Families.h"
#include "models/identify/OtherNetworks.h"
#include "models/identify/ResolvedSetting.h"
#include "models/identify/ShapeReader.h"
#include "models/identify/StoredOptions.h"
#include "models/vit/PublishedVits.h"
#include "models/vit/VitLayout.h"
#include "models/vit/VitModel.h"
#include "models/vit/VitNames.h"

#include <string>
#include <utility>

namespace softscope {

namespace {

constexpr const char* beitTable = "relative_position_bias_table";
constexpr const char* sharedBeitTable = "rel_pos_bias.relative_position_bias_table";

/// Swin's tables are in `layers.0.blocks.0`, and it has no class token.
bool isBeit(const StateDict& state) {
  const ShapeReader shapes(state, "BEiT");
  return state.contains("cls_token") && shapes.any("blocks.", ".attn.qkv.weight") &&
         (shapes.any("blocks.", beitTable) || state.contains(sharedBeitTable));
}

VitNames beitNames(const StateDict& state) {
  const ShapeReader shapes(state, "BEiT");
  VitNames names = timmNames(state);
  if (!state.contains("pos_embed")) names.positions.clear();
  names.registers.clear();
  if (state.contains(sharedBeitTable)) {
    names.sharedPositionBias = sharedBeitTable;
  } else {
    names.block.positionBias = std::string("attn.") + beitTable;
  }
  if (shapes.any("blocks.", ".attn.q_bias")) {
    names.block.queryBias = "attn.q_bias";
    names.block.valueBias = "attn.v_bias";
  }
  names.norm = shapes.any("fc_norm.") ? "" : "norm";
  return names;
}

/// Tables of relative positions have a column for each head.
int headsOfTables(const StateDict& state, const VitConfiguration& configuration) {
  const ShapeReader shapes(state, "BEiT");
  const VitNames& names = configuration.names;
  const std::string table = names.sharedPositionBias.empty()
                                ? names.blocks.front() + "." + names.block.positionBias
                                : names.sharedPositionBias;
  const int heads = shapes.require(shapes.size({table}, 1), "its heads");
  requireWholeHeads("BEiT", configuration.channels, heads, 1);
  return heads;
}

std::string beitVariant(const VitConfiguration& configuration) {
  const bool isBase = configuration.channels == 768 && configuration.names.blocks.size() == 12;
  const bool isLarge = configuration.channels == 1024 && configuration.names.blocks.size() == 24;
  if ((!isBase && !isLarge) || configuration.patch != 16) return "custom";
  return std::string("beit_") + (isBase ? "base" : "large") + "_patch16_" +
         std::to_string(configuration.biasSide * configuration.patch);
}

/// Throws ModelError for data2vec's classifiers with other options than the published ones.
void refuseOptionsOfData2vec(const StateDict& state) {
  if (state.contains("layer_log_weights")) {
    throw ModelError(
        "it weighs the results of its blocks ('layer_log_weights'), as data2vec does with "
        "learn_layer_weights, which Softscope does not compute; " +
        recordingAdvice());
  }
  const ShapeReader shapes(state, "BEiT");
  if (shapes.any("head.") && !shapes.any("norm.") && !shapes.any("fc_norm.")) {
    throw ModelError(
        "it has a head and no norm with weights in front of it, as data2vec has with "
        "linear_classifier, which Softscope does not compute; " +
        recordingAdvice());
  }
}

DefinedModel defineBeit(const StateDict& state, const ModelHints& hints) {
  refuseOptionsOfData2vec(state);
  VitConfiguration configuration = readVitConfiguration(state, beitNames(state), "BEiT");
  const std::string source = "as in BEiT, data2vec and SimMIM, whose names these are";
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  const bool isPublished = publishedVit(configuration).has_value();
  const SettingKnowledge usual = knownOfPublished("BEiT", isPublished, said);
  configuration.facts.activation = VitFact{"gelu", source};
  configuration.facts.epsilon = VitFact{"1e-06", usual.reason, usual.isCertain};
  configuration.facts.norm = VitFact{"pre", source};
  if (configuration.names.poolingNorm.empty()) {
    configuration.facts.pooling =
        isPublished ? VitFact{"cls", "by norm"}
                    : VitFact{"cls", "timm's BEiT may have norm with any global_pool", false};
  }
  InputTransform transform;
  transform.height = transform.width = configuration.biasSide * configuration.patch;
  transform.cropFraction = 0.9;
  const int heads = headsOfTables(state, configuration);
  requireHeadsOfWeights("BEiT", heads, hints);
  const VitIdentity identity{.family = "beit",
                             .network = "BEiT",
                             .variant = beitVariant(configuration),
                             .transform = transform,
                             .pixelNorms = {"half", "imagenet"},
                             .heads = certainHeads(heads, "by its tables of relative positions")};
  DefinedModel model = defineVit(std::move(configuration), identity, hints);
  resolveHeadScale("BEiT", isPublished, hints, model.summary);
  return model;
}

}  // namespace

Family beitFamily() {
  return {.name = "beit",
          .networks = "BEiT",
          .attention = "softmax",
          .recognises = isBeit,
          .define = defineBeit,
          .harmless = {
              "*relative_position_index",  // a constant
              "mask_token", "lm_head.*",   // for pretraining with hidden patches
              "cls_pt_layers.*",           // BEiT v2's early-class head, likewise
          }};
}

}  // namespace softscope
