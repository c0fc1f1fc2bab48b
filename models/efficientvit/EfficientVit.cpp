#include "core/text/Words.h"
#include "models/efficientvit/EfficientVitNetwork.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Families.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/ResolvedSetting.h"
#include "models/identify/StoredOptions.h"

#include <cmath>
#include <string>
#include <utility>

namespace softscope {

namespace {

/// Returns the size that follows an `r` in a file's name, as in `efficientvit_b1-r288`; otherwise
/// 224.
int efficientVitSize(const std::string& fileName) {
  for (const int size : {256, 288, 320, 384}) {
    if (lowerCase(fileName).find("r" + std::to_string(size)) != std::string::npos) return size;
  }
  return 224;
}

/// The authors resize to 1 / 0.95 of the crop, rounded up. timm rounds down, and uses no margin for
/// L models and for 256 pixels and more.
InputTransform efficientVitTransform(const EfficientVitNames& names, const std::string& fileName) {
  InputTransform transform;
  const int size = efficientVitSize(fileName);
  transform.height = size;
  transform.width = size;
  transform.cropFraction = names.timm ? 0.95 : size / std::ceil(size / 0.95);
  if (names.timm && (names.large || size > 224)) transform.cropFraction = 1;
  return transform;
}

void listEfficientVitLayers(const EfficientVitConfiguration& configuration, ModelSummary& summary) {
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    const EfficientVitStageConfiguration& stage = configuration.stages[s];
    if (!stage.hasAttention()) continue;
    const int heads = configuration.heads(stage);
    for (std::size_t i = 0; i < stage.blocks.size(); ++i) {
      if (stage.blocks[i].kind != EfficientVitBlockKind::Attention) continue;
      summary.layers.push_back(
          {.name = configuration.names.blocks(s) + std::to_string(i) + ".context_module.main",
           .mechanism = summary.mechanism,
           .stage = static_cast<int>(s) + 1,
           .heads = heads});
    }
    summary.heads.push_back(heads);
  }
}

/// Resolves what leaves nothing in the weights: the activation, L's epsilon, and what timm's head
/// sees. Throws ModelError for a value that is not computed.
void resolveEfficientVitOptions(EfficientVitConfiguration& configuration, const ModelHints& hints,
                                ModelSummary& summary) {
  const std::string network = "EfficientViT";
  const ConfigurationFile* said = configurationFor(configuration.stages.back().channels, hints);
  const bool isLarge = configuration.names.large;
  const bool isPublished = summary.isPublished();
  if (isLarge) requireConfigured(said, "norm_eps", {"1e-07", "1e-7"}, network);
  requireConfiguredClass(said, "act_layer", {isLarge ? "gelutanh" : "hardswish"}, network);
  const std::string activation = isLarge ? "gelu_tanh" : "hard_swish";
  resolveFixedOption({"act_layer", activation, network}, isPublished, said, hints, summary);
  if (isLarge) {
    resolveFixedOption({"norm_eps", "1e-07", network}, isPublished, said, hints, summary);
  }
  if (configuration.classes == 0) return;
  if (!configuration.names.timm) return requireConfiguredPooling(said, {"mean"}, network);
  const NetworkSetting pooling = resolveMapPooling(network, isPublished, said, hints);
  configuration.pooling = mapPoolingOfOption(pooling.value);
  describeSetting(pooling, summary);
}

DefinedModel defineEfficientVit(const StateDict& state, const ModelHints& hints) {
  const MechanismNames names{.network = "EfficientViT",
                             .mechanisms = {"litemla"},
                             .namedBy = nullptr,
                             .usualIsCertain = true};
  const ResolvedMechanism decision = resolveMechanism(names, hints);
  EfficientVitConfiguration configuration = readEfficientVitConfiguration(state);
  ModelSummary summary;
  summary.family = "efficientvit";
  summary.variant = efficientVitVariant(configuration);
  resolveEfficientVitOptions(configuration, hints, summary);
  summary.mechanism = decision.mechanism;
  summary.alternatives = alternatives(names, decision.mechanism);
  summary.mechanismConfidence = decision.confidence;
  summary.reason =
      "Names and shapes are those of EfficientViT: only its attention aggregates queries, keys and "
      "values of neighbours.";
  summary.channels = configuration.stages.back().channels;
  summary.classes = configuration.classes;
  summary.transform = efficientVitTransform(configuration.names, hints.fileName);
  listEfficientVitLayers(configuration, summary);
  if (!summary.heads.empty()) {
    requireToldHeads("EfficientViT's convolutions", summary.heads.back(), hints);
  }
  return {std::move(summary), std::make_shared<EfficientVitNetwork>(configuration)};
}

}  // namespace

Family efficientVitFamily() {
  return {.name = "efficientvit",
          .networks = "EfficientViT",
          .attention = "linear attention",
          .recognises = isEfficientVit,
          .define = defineEfficientVit,
          .harmless = {
              // Parts of the authors' segmentation models that turn the stages into a map of
              // classes.
              "head.input_ops.*",
              "head.middle.*",
              "head.output_ops.*",
          }};
}

}  // namespace softscope
