#include "models/deit/Deit.h"

#include "models/deit/DeitNetwork.h"
#include "models/identify/ResolvedActivation.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/ShapeReader.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace softscope {

namespace {

struct PublishedDeit {
  const char* size;
  int channels;
};

constexpr PublishedDeit publishedDeits[] = {{"tiny", 192}, {"small", 384}, {"base", 768}};

/// Parts of names of relatives of DeiT's that compute something else.
constexpr std::string_view foreign[] = {"tokens_to_token.",  "cls_attn_blocks.",
                                        "pos_embeder.",      "gamma",
                                        "relative_position", "pre_logits."};

bool isForeign(const std::string& name) {
  return std::any_of(std::begin(foreign), std::end(foreign),
                     [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

bool isDeit(const StateDict& state) {
  bool attention = false;
  for (const auto& entry : state.entries()) {
    if (isForeign(entry.name)) return false;
    attention = attention || (startsWith(entry.name, "blocks.") &&
                              (entry.name.find(".attn.qkv.") != std::string::npos ||
                               entry.name.find(".attn.proj.") != std::string::npos));
  }
  const ShapeReader shapes(state, "DeiT");
  return attention && (shapes.any("patch_embed.proj.") || shapes.any("pos_embed"));
}

/// Heads of published models have 64 channels, except in timm's three largest.
DefaultHeads defaultDeitHeads(int channels, bool trainedAsSima) {
  for (const int wide : {1280, 1408, 1664}) {
    if (channels == wide) {
      return {16, 0.9, "networks as wide as ViT-H, ViT-g and ViT-G have 16 heads",
              possibleHeads(channels)};
    }
  }
  if (channels % 64 != 0) return assumedHeads(channels, "DeiT");
  const int heads = channels / 64;
  if (!trainedAsSima) return {heads};
  return {heads, 0.7, "nobody published SimA in DeiT, " + assumedText(heads) + ", as DeiT has",
          possibleHeads(channels)};
}

DeitConfiguration readDeitConfiguration(const StateDict& state) {
  const ShapeReader shapes(state, "DeiT");
  DeitConfiguration configuration;
  auto channels =
      shapes.size({"patch_embed.proj.weight", "patch_embed.proj.bias", "norm.weight"}, 0);
  if (!channels) channels = shapes.size({"cls_token", "pos_embed"}, 2);
  configuration.channels = shapes.require(channels, "its width");
  configuration.depth = shapes.require(shapes.count("blocks."), "its blocks");
  auto hidden = shapes.size({"blocks.0.mlp.fc1.weight", "blocks.0.mlp.fc1.bias"}, 0);
  if (!hidden) hidden = shapes.size({"blocks.0.mlp.fc2.weight"}, 1);
  configuration.hidden = hidden.value_or(4 * configuration.channels);
  if (shapes.any("dist_token") || shapes.any("head_dist.")) configuration.prefixTokens = 2;
  configuration.positions =
      shapes.size({"pos_embed"}, 1).value_or(196 + configuration.prefixTokens) -
      configuration.prefixTokens;
  configuration.positions = shapes.require(configuration.positions, "its positions");
  configuration.classes =
      shapes.size({"head.weight", "head.bias", "head_dist.weight", "head_dist.bias"}, 0)
          .value_or(0);
  configuration.queryKeyValueBias = shapes.any("blocks.", ".attn.qkv.bias");
  return configuration;
}

std::string deitVariant(const DeitConfiguration& configuration, int patch) {
  const int size = squareSide(configuration.positions) * patch;
  for (const PublishedDeit& variant : publishedDeits) {
    const int channels = variant.channels;
    const bool published = configuration.channels == channels && configuration.depth == 12 &&
                           configuration.hidden == 4 * channels &&
                           configuration.heads == channels / 64 && patch == 16 &&
                           (size == 224 || (size == 384 && channels == 768));
    if (!published) continue;
    return "deit_" + std::string(variant.size) +
           (configuration.prefixTokens > 1 ? "_distilled" : "") + "_patch16_" +
           std::to_string(size);
  }
  return "custom";
}

/// The size of picture that the positions were trained for: square, or as nearly so as they allow.
void inputSizeOfPositions(int positions, int patch, InputTransform& transform) {
  int rows = 1;
  for (int candidate = 1; candidate * candidate <= positions; ++candidate) {
    if (positions % candidate == 0) rows = candidate;
  }
  transform.height = rows * patch;
  transform.width = positions / rows * patch;
}

DefinedModel defineDeit(const StateDict& state, const ModelHints& hints) {
  const MechanismChoice choice{.network = "DeiT",
                               .usual = "softmax",
                               .other = "sima",
                               .further = {"sima_l2", "sima_unnormalised"},
                               .mark = "sima",
                               .published = "deit_"};
  const ResolvedMechanism decision = resolveMechanism(choice, hints);
  DeitConfiguration configuration = readDeitConfiguration(state);
  configuration.sima = simaNormOf(decision.mechanism);
  const bool trainedAsSima = configuration.sima && !decision.counterfactual;
  const ResolvedHeads heads = resolveHeads(
      configuration.channels, defaultDeitHeads(configuration.channels, trainedAsSima), hints);
  configuration.heads = heads.heads;
  const ResolvedActivation activation = resolveActivation(hints, true);
  configuration.activation = activation.relu ? Activation::Relu : Activation::Gelu;
  const ShapeReader shapes(state, "DeiT");
  const int patch = std::max(1, shapes.size({"patch_embed.proj.weight"}, 2).value_or(16));

  ModelSummary summary;
  summary.family = "deit";
  summary.variant = deitVariant(configuration, patch);
  summary.mechanism = decision.mechanism;
  summary.alternatives = alternatives(choice, decision.mechanism);
  summary.mechanismConfidence = decision.confidence;
  summary.reason = "Names and shapes are those of DeiT, which SimA in its place shares; " +
                   decision.reason + ".";
  summary.activation = activation.name();
  summary.otherActivation = activation.counterfactual;
  summary.counterfactual = decision.counterfactual || activation.counterfactual;
  describeHeads(heads, summary);
  summary.heads = {configuration.heads};
  summary.channels = configuration.channels;
  summary.classes = configuration.classes;
  inputSizeOfPositions(configuration.positions, patch, summary.transform);
  for (int depth = 0; depth < configuration.depth; ++depth) {
    summary.layers.push_back({.name = "blocks." + std::to_string(depth) + ".attn",
                              .mechanism = decision.mechanism,
                              .stage = 1,
                              .heads = configuration.heads});
  }
  return {std::move(summary), std::make_shared<DeitNetwork>(configuration, patch)};
}

}  // namespace

Family deitFamily() {
  return {.name = "deit",
          .recognises = isDeit,
          .define = defineDeit,
          .harmless = {
              "mask_token", "masked_embed",  // what hides patches in MAE's and iBOT's pretraining
              "decoder_*",                   // MAE's decoder, which follows the network
              "head.*.*",  // projections of self-supervised training (DINO, MoCo v3), no classifier
              "fpn?.*",    // pyramids of features, which follow the network in detectors
          }};
}

}  // namespace softscope
