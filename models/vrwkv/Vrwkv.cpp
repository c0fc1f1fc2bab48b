#include "core/Error.h"
#include "models/identify/Families.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/ShapeReader.h"
#include "models/vrwkv/VrwkvNetwork.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace softscope {

namespace {

struct PublishedVrwkv {
  const char* name;
  int channels;
};

constexpr PublishedVrwkv publishedVrwkvs[] = {
    {"vrwkv_tiny", 192}, {"vrwkv_small", 384}, {"vrwkv_base", 768}};

constexpr const char* vrwkvLayers = "backbone.layers.";

bool isVrwkv(const StateDict& state) {
  return std::any_of(state.entries().begin(), state.entries().end(), [](const auto& entry) {
    return startsWith(entry.name, vrwkvLayers) &&
           (entry.name.find(".att.spatial_") != std::string::npos ||
            entry.name.ends_with(".att.time_faaaa"));
  });
}

/// Reads a size from the first layer that has one of the tensors.
std::optional<int> vrwkvSize(const ShapeReader& shapes, int depth,
                             std::initializer_list<const char*> names, int dimension) {
  for (int layer = 0; layer < depth; ++layer) {
    for (const char* name : names) {
      const auto size = shapes.size({vrwkvLayers + std::to_string(layer) + "." + name}, dimension);
      if (size) return size;
    }
  }
  return std::nullopt;
}

VrwkvConfiguration readVrwkvConfiguration(const ShapeReader& shapes) {
  if (shapes.any(vrwkvLayers, ".att.time_faaaa") || shapes.any(vrwkvLayers, ".att.time_decay")) {
    throw ModelError(
        "this is Vision-RWKV 6 (att.time_faaaa), whose decays depend on the picture; Softscope "
        "opens the first Vision-RWKV");
  }
  VrwkvConfiguration sizes;
  sizes.depth = shapes.require(shapes.count(vrwkvLayers), "its layers");
  auto channels = shapes.size({"backbone.patch_embed.projection.weight",
                               "backbone.patch_embed.projection.bias", "backbone.ln1.weight"},
                              0);
  if (!channels) channels = vrwkvSize(shapes, sizes.depth, {"att.spatial_decay"}, 0);
  sizes.channels = shapes.require(channels, "its width");
  auto hidden = vrwkvSize(shapes, sizes.depth, {"ffn.key.weight"}, 0);
  if (!hidden) hidden = vrwkvSize(shapes, sizes.depth, {"ffn.value.weight"}, 1);
  sizes.hidden = hidden.value_or(4 * sizes.channels);
  sizes.patch =
      std::max(1, shapes.size({"backbone.patch_embed.projection.weight"}, 2).value_or(sizes.patch));
  const int positions = shapes.size({"backbone.pos_embed"}, 1).value_or(sizes.side * sizes.side);
  sizes.side = static_cast<int>(std::lround(std::sqrt(double(positions))));
  if (sizes.side < 1 || sizes.side * sizes.side != positions) {
    throw ModelError("its " + std::to_string(positions) + " positions make no square");
  }
  sizes.normsAfter = shapes.any(vrwkvLayers, ".gamma1") || shapes.any(vrwkvLayers, ".gamma2");
  sizes.normsKeys = shapes.any(vrwkvLayers, ".key_norm.weight");
  sizes.hasFinalNorm = shapes.any("backbone.ln1.");
  sizes.classes = shapes.size({"head.fc.weight", "head.fc.bias"}, 0).value_or(0);
  return sizes;
}

DefinedModel defineVrwkv(const StateDict& state, const ModelHints& hints) {
  const VrwkvConfiguration sizes = readVrwkvConfiguration(ShapeReader(state, "Vision-RWKV"));
  if (hints.attention) requireAllowed("Vision-RWKV", {"bi_wkv"}, *hints.attention);
  requireHeadsOfWeights("Vision-RWKV, whose channels are its heads,", 1, hints);
  ModelSummary summary;
  summary.family = "vrwkv";
  summary.variant = "custom";
  for (const PublishedVrwkv& variant : publishedVrwkvs) {
    const bool fits = variant.channels == sizes.channels && sizes.depth == 12 &&
                      sizes.patch == 16 && sizes.side == 14;
    if (fits) summary.variant = variant.name;
  }
  summary.mechanism = "bi_wkv";
  summary.alternatives = {"bi_wkv"};
  summary.mechanismConfidence = 1;
  summary.reason =
      "Names and shapes are those of Vision-RWKV: att.spatial_decay is its alone. Every channel "
      "has "
      "a matrix of its own, and what is shown is their mean; it is what the published kernel "
      "computes, which with more than 32 tokens is not the paper's formula.";
  summary.channels = sizes.channels;
  summary.heads = {1};
  summary.classes = sizes.classes;
  summary.transform.height = summary.transform.width = sizes.side * sizes.patch;
  for (int i = 0; i < sizes.depth; ++i) {
    summary.layers.push_back({.name = vrwkvLayers + std::to_string(i) + ".att",
                              .mechanism = "bi_wkv",
                              .stage = 1,
                              .heads = 1});
  }
  return {std::move(summary), std::make_shared<VrwkvNetwork>(sizes)};
}

}  // namespace

Family vrwkvFamily() {
  return {.name = "vrwkv", .recognises = isVrwkv, .define = defineVrwkv};
}

}  // namespace softscope
