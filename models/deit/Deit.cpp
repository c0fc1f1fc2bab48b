#include "models/identify/Families.h"
#include "models/identify/ParameterNames.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/ResolvedSetting.h"
#include "models/identify/ShapeReader.h"
#include "models/vit/PublishedVits.h"
#include "models/vit/VitLayout.h"
#include "models/vit/VitModel.h"
#include "models/vit/VitNames.h"
#include "models/vit/VitSettings.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

struct PublishedDeit {
  const char* size;
  int channels;
};

constexpr PublishedDeit publishedDeits[] = {{"tiny", 192}, {"small", 384}, {"base", 768}};

bool isDeit(const StateDict& state) {
  if (hasHuggingFaceNames(state)) return isHuggingFaceDeit(state);
  return hasTimmNames(state) && !hasMoreThanDeit(state);
}

/// Returns the heads that the projection of a pretraining tells, if the sizes leave them open:
/// MoCo v3's ViT-S has 12, and DINO's and iBOT's 6.
std::optional<DefaultHeads> headsOfPretraining(const StateDict& state, const ModelHints& hints,
                                               const DefaultHeads& usual) {
  const bool isOpen = !usual.isCertain && usual.possible.size() > 1;
  if (!isOpen) return std::nullopt;
  if (hasProjectionHead(state)) {
    return certainHeads(usual.possible[1], "as in MoCo v3, whose projection is in the file");
  }
  const auto isOfDino = [](const std::string& part) {
    return part.find("head.last_layer") != std::string::npos;
  };
  if (anyContains(state, "head.last_layer") || std::ranges::any_of(hints.beside, isOfDino)) {
    return certainHeads(usual.possible[0], "as in DINO, whose projection is in the file");
  }
  return std::nullopt;
}

DefaultHeads defaultDeitHeads(const StateDict& state, const VitConfiguration& configuration,
                              bool trainedAsSima, const ModelHints& hints) {
  DefaultHeads usual = defaultVitHeads(configuration, "DeiT", hints);
  const bool isPublished = publishedVit(configuration).has_value();
  if (isPublished && !trainedAsSima) {
    if (const auto told = headsOfPretraining(state, hints, usual)) return *told;
  }
  if (!trainedAsSima) return usual;
  usual.isCertain = false;
  usual.reason = "nobody published SimA in DeiT";
  usual.possible = possibleHeads(configuration.channels);
  return usual;
}

/// DeiT was published with ImageNet's norm; ViT has the same names and sizes, but no distillation
/// token.
std::vector<std::string> pixelNormsOfDeits(const VitConfiguration& configuration) {
  const bool isDeits = configuration.distillationToken || !configuration.names.library.empty();
  return isDeits ? std::vector<std::string>{"imagenet"}
                 : std::vector<std::string>{"imagenet", "half"};
}

VitConfiguration readDeitConfiguration(const StateDict& state) {
  if (!hasHuggingFaceNames(state)) {
    VitConfiguration plain = readVitConfiguration(state, timmNames(state), "DeiT");
    leaveGreyToStructure(plain);
    plain.mayPoolPrefix = true;
    return plain;
  }
  VitConfiguration configuration = readVitConfiguration(state, huggingFaceNames(state), "DeiT");
  configuration.resize = PositionResize::Plain;
  configuration.epsilon = 1e-12;
  if (configuration.names.distillationHead.empty()) configuration.facts.libraryPooling = "cls";
  return configuration;
}

std::string deitVariant(const VitConfiguration& configuration) {
  const int patch = configuration.patch;
  const int size = squareSide(configuration.positions) * patch;
  for (const PublishedDeit& variant : publishedDeits) {
    const int channels = variant.channels;
    const bool published =
        configuration.channels == channels && configuration.names.blocks.size() == 12 &&
        configuration.hidden == 4 * channels && configuration.heads == channels / 64 &&
        patch == 16 && (size == 224 || (size == 384 && channels == 768));
    if (!published) continue;
    return "deit_" + std::string(variant.size) +
           (configuration.distillationToken ? "_distilled" : "") + "_patch16_" +
           std::to_string(size);
  }
  return "custom";
}

DefinedModel defineDeit(const StateDict& state, const ModelHints& hints) {
  const MechanismChoice choice{.network = "DeiT",
                               .usual = "softmax",
                               .other = "sima",
                               .further = {"sima_l2", "sima_unnormalised"},
                               .mark = "sima",
                               .published = {"deit", "deit#", "vit", "tiny", "small", "medium",
                                             "base", "large", "huge", "distilled", "patch#"},
                               .usualIsCertain = hasHuggingFaceNames(state)};
  const ResolvedMechanism decision = resolveMechanism(choice, hints);
  VitConfiguration configuration = readDeitConfiguration(state);
  configuration.sima = simaNormOf(decision.mechanism);
  const std::vector<NetworkSetting> settings = resolveVit(configuration, hints);
  const bool trainedAsSima = configuration.sima && !decision.counterfactual;
  const ResolvedHeads heads = resolveHeads(
      configuration.channels, defaultDeitHeads(state, configuration, trainedAsSima, hints), hints);
  configuration.heads = heads.heads;

  ModelSummary summary;
  summary.family = "deit";
  summary.variant = deitVariant(configuration);
  summary.mechanism = decision.mechanism;
  summary.alternatives = alternatives(choice, decision.mechanism);
  summary.mechanismConfidence = decision.confidence;
  summary.reason = "Names and shapes are those of DeiT";
  if (!decision.reason.empty()) {
    summary.reason += ", which SimA in its place shares; " + decision.reason;
  }
  summary.reason += ".";
  summary.counterfactual = decision.counterfactual;
  describeHeads(heads, summary);
  describeSettings(settings, summary);
  summary.heads = {configuration.heads};
  summary.channels = configuration.channels;
  summary.classes = configuration.classes;
  inputSizeOfPositions(configuration.positions, configuration.patch, summary.transform);
  if (const auto resize = resolvePositionResize(configuration, summary.transform, hints)) {
    describeSetting(*resize, summary);
  }
  applyPictures(configuration, summary.transform);
  for (const std::string& block : configuration.names.blocks) {
    summary.layers.push_back({.name = block + "." + configuration.names.block.attention,
                              .mechanism = decision.mechanism,
                              .stage = 1,
                              .heads = configuration.heads});
  }
  DefinedModel model{std::move(summary), std::make_shared<VitNetwork>(configuration)};
  model.pixelNorms = pixelNormsOfDeits(configuration);
  model.publishedAs = publishedVitName(configuration);
  if (hasHuggingFaceNames(state)) model.part = huggingFaceWrapper(state);
  if (hasProjectionHead(state)) model.harmless = {"head.*.*"};
  return model;
}

}  // namespace

Family deitFamily() {
  return {
      .name = "deit",
      .networks = "DeiT",
      .attention = "softmax, SimA",
      .recognises = isDeit,
      .define = defineDeit,
      .harmless = withPartsOfPretraining({"fpn?.*"}),  // pyramids behind the network in detectors
      .modelTypes = {"deit", "vit", "vit_mae", "vit_msn"}};
}

}  // namespace softscope
