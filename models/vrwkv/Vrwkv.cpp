#include "core/Error.h"
#include "core/text/Words.h"
#include "models/identify/Families.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/ResolvedSetting.h"
#include "models/identify/ShapeReader.h"
#include "models/identify/StoredOptions.h"
#include "models/vrwkv/VrwkvNetwork.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace softscope {

namespace {

struct PublishedVrwkv {
  const char* name;
  int channels;
  bool hasScales;  ///< and its norms stand behind attention and channel mixing
};

constexpr PublishedVrwkv publishedVrwkvs[] = {
    {"vrwkv_tiny", 192, false}, {"vrwkv_small", 384, true}, {"vrwkv_base", 768, true}};

/// Each token has neighbours on four sides.
constexpr double largestShiftShare = 0.25;

/// The published prefix, which files of the backbone alone may lack.
constexpr std::string_view vrwkvBackbone = "backbone.";

bool isVrwkv(const StateDict& state) {
  return std::any_of(state.entries().begin(), state.entries().end(), [](const auto& entry) {
    std::string_view name = entry.name;
    if (startsWith(name, vrwkvBackbone)) name.remove_prefix(vrwkvBackbone.size());
    return startsWith(name, "layers.") && (name.find(".att.spatial_") != std::string_view::npos ||
                                           name.ends_with(".att.time_faaaa"));
  });
}

/// Reads a size from the first layer that has one of the tensors.
std::optional<int> vrwkvSize(const ShapeReader& shapes, const VrwkvConfiguration& sizes,
                             std::initializer_list<const char*> names, int dimension) {
  for (int layer = 0; layer < sizes.depth; ++layer) {
    for (const char* name : names) {
      const auto size = shapes.size({sizes.layer(layer) + name}, dimension);
      if (size) return size;
    }
  }
  return std::nullopt;
}

VrwkvConfiguration readVrwkvConfiguration(const ShapeReader& shapes) {
  VrwkvConfiguration sizes;
  if (!shapes.any(sizes.prefix)) sizes.prefix.clear();
  const std::string layers = sizes.prefix + "layers.";
  if (shapes.any(layers, ".att.time_faaaa") || shapes.any(layers, ".att.time_decay")) {
    throw ModelError(
        "this is Vision-RWKV 6 (att.time_faaaa), whose decays depend on the picture; Softscope "
        "opens the first Vision-RWKV");
  }
  sizes.depth = shapes.require(shapes.count(layers), "its layers");
  const std::string embedding = sizes.prefix + "patch_embed.projection.";
  const std::string norm = sizes.prefix + "ln1.";
  auto channels = shapes.size({embedding + "weight", embedding + "bias", norm + "weight"}, 0);
  if (!channels) channels = vrwkvSize(shapes, sizes, {"att.spatial_decay"}, 0);
  sizes.channels = shapes.require(channels, "its width");
  auto hidden = vrwkvSize(shapes, sizes, {"ffn.key.weight"}, 0);
  if (!hidden) hidden = vrwkvSize(shapes, sizes, {"ffn.value.weight"}, 1);
  sizes.hidden = hidden.value_or(4 * sizes.channels);
  sizes.patch = std::max(1, shapes.size({embedding + "weight"}, 2).value_or(sizes.patch));
  const int positions =
      shapes.size({sizes.prefix + "pos_embed"}, 1).value_or(sizes.side * sizes.side);
  sizes.side = requireSquare(positions);
  sizes.hasScales = shapes.any(layers, ".gamma1") || shapes.any(layers, ".gamma2");
  sizes.normsKeys = shapes.any(layers, ".key_norm.weight");
  sizes.hasFinalNorm = shapes.any(norm);
  sizes.classes = shapes.size({"head.fc.weight", "head.fc.bias"}, 0).value_or(0);
  return sizes;
}

std::string vrwkvVariant(const VrwkvConfiguration& sizes) {
  for (const PublishedVrwkv& variant : publishedVrwkvs) {
    const bool fits = variant.channels == sizes.channels && variant.hasScales == sizes.hasScales &&
                      sizes.depth == 12 && sizes.patch == 16 && sizes.side == 14 &&
                      sizes.hidden == 4 * sizes.channels && !sizes.normsKeys;
    if (fits) return variant.name;
  }
  return "custom";
}

/// Resolves the constructor's arguments that leave nothing in the weights.
void resolveVrwkvOptions(VrwkvConfiguration& sizes, const ModelHints& hints,
                         ModelSummary& summary) {
  constexpr const char* network = "Vision-RWKV";
  const SettingKnowledge published = knownOfPublished(network, summary.isPublished(), nullptr);
  // Published networks with scales have their norms behind what they normalise, and no others do.
  StoredOption known{.key = "post_norm",
                     .usual = sizes.hasScales ? "true" : "false",
                     .isCertain = published.isCertain,
                     .reason = published.reason,
                     .network = network,
                     .computed = {"true", "false"}};
  sizes.normsAfter = resolveStoredOption(known, hints, summary) == "true";
  known.key = "channel_gamma";
  known.usual = "0.25";
  known.computed = {"a share of the channels up to 0.25"};
  known.accepts = [](const std::string& text) {
    const auto share = parseNumber(text);
    return share && *share > 0 && *share <= largestShiftShare;
  };
  sizes.shiftShare = parseNumber(resolveStoredOption(known, hints, summary)).value_or(0);
  known.key = "shift_pixel";
  known.usual = "1";
  known.computed = {"a number of pixels from 1"};
  known.accepts = [](const std::string& text) { return parseNumber<int>(text).value_or(0) > 0; };
  sizes.shiftPixels = parseNumber<int>(resolveStoredOption(known, hints, summary)).value_or(1);
}

DefinedModel defineVrwkv(const StateDict& state, const ModelHints& hints) {
  VrwkvConfiguration sizes = readVrwkvConfiguration(ShapeReader(state, "Vision-RWKV"));
  requireOnly("Vision-RWKV", "bi_wkv", hints);
  requireHeadsOfWeights("Vision-RWKV, whose channels are its heads,", 1, hints);
  ModelSummary summary;
  summary.family = "vrwkv";
  summary.variant = vrwkvVariant(sizes);
  summary.setOnlyMechanism("bi_wkv");
  summary.reason =
      "Names and shapes are those of Vision-RWKV: att.spatial_decay is its alone. Every channel "
      "has a matrix of its own, and what is shown is their mean; it is what the published kernel "
      "computes, which with more than 32 tokens is not the paper's formula.";
  resolveVrwkvOptions(sizes, hints, summary);
  summary.channels = sizes.channels;
  summary.heads = {1};
  summary.classes = sizes.classes;
  summary.transform.height = summary.transform.width = sizes.side * sizes.patch;
  for (int i = 0; i < sizes.depth; ++i) {
    summary.layers.push_back(
        {.name = sizes.layer(i) + "att", .mechanism = "bi_wkv", .stage = 1, .heads = 1});
  }
  return {std::move(summary), std::make_shared<VrwkvNetwork>(sizes)};
}

}  // namespace

Family vrwkvFamily() {
  return {.name = "vrwkv",
          .networks = "Vision-RWKV",
          .attention = "bidirectional WKV",
          .recognises = isVrwkv,
          .define = defineVrwkv};
}

}  // namespace softscope
