#include "models/convit/ConvitNetwork.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Families.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/ResolvedSetting.h"
#include "models/identify/ShapeReader.h"
#include "models/identify/StoredOptions.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace softscope {

namespace {

struct PublishedConvit {
  const char* size;
  int channels;
  int heads;
};

constexpr PublishedConvit publishedConvits[] = {
    {"tiny", 192, 4}, {"small", 432, 9}, {"base", 768, 16}};

bool isConvit(const StateDict& state) {
  const ShapeReader shapes(state, "ConViT");
  return shapes.any("blocks.", ".attn.gating_param") ||
         shapes.any("blocks.", ".attn.pos_proj.weight");
}

/// Returns the number of blocks before the first without a gate.
int countGated(const ShapeReader& shapes, int depth) {
  int gated = 0;
  for (int i = 0; i < depth; ++i) {
    const std::string block = "blocks." + std::to_string(i) + ".attn.";
    if (shapes.any(block + "gating_param") || shapes.any(block + "qk.")) gated = i + 1;
  }
  return gated;
}

/// Returns the side of the grid of patches. Without positions, nothing limits it, and it is that of
/// pictures of 224 pixels.
int sideOfConvit(const ShapeReader& shapes, int patch) {
  constexpr int usualPicture = 224;
  const auto positions = shapes.size({"pos_embed"}, 1);
  return positions ? requireSquare(*positions) : std::max(1, usualPicture / patch);
}

ConvitConfiguration readConvit(const StateDict& state, const ModelHints& hints) {
  const ShapeReader shapes(state, "ConViT");
  ConvitConfiguration configuration;
  configuration.channels = shapes.require(
      shapes.size({"patch_embed.proj.weight", "patch_embed.proj.bias", "norm.weight"}, 0),
      "its width");
  configuration.depth = shapes.require(shapes.count("blocks."), "its blocks");
  configuration.gatedDepth = countGated(shapes, configuration.depth);
  configuration.heads =
      shapes.require(shapes.size({"blocks.0.attn.gating_param", "blocks.0.attn.pos_proj.weight",
                                  "blocks.0.attn.pos_proj.bias"},
                                 0),
                     "its heads");
  requireWholeHeads("ConViT", configuration.channels, configuration.heads, 1);
  configuration.hidden = shapes.size({"blocks.0.mlp.fc1.weight", "blocks.0.mlp.fc1.bias"}, 0)
                             .value_or(4 * configuration.channels);
  configuration.patch = std::max(1, shapes.size({"patch_embed.proj.weight"}, 2).value_or(16));
  configuration.hasPositions = state.contains("pos_embed");
  requireSquarePictures(configurationFor(configuration.channels, hints), "ConViT");
  configuration.side = sideOfConvit(shapes, configuration.patch);
  configuration.classes = shapes.size({"head.weight", "head.bias"}, 0).value_or(0);
  configuration.queryBias =
      shapes.any("blocks.", ".attn.qk.bias") || shapes.any("blocks.", ".attn.qkv.bias");
  return configuration;
}

std::string convitVariant(const ConvitConfiguration& configuration) {
  for (const PublishedConvit& variant : publishedConvits) {
    if (variant.channels == configuration.channels && variant.heads == configuration.heads &&
        configuration.depth == 12 && configuration.patch == 16) {
      return std::string("convit_") + variant.size;
    }
  }
  return "custom";
}

DefinedModel defineConvit(const StateDict& state, const ModelHints& hints) {
  requireOnly("ConViT", "gated_positional", hints);
  ConvitConfiguration configuration = readConvit(state, hints);
  requireHeadsOfWeights("ConViT", configuration.heads, hints);
  ModelSummary summary;
  summary.family = "convit";
  summary.variant = convitVariant(configuration);
  summary.setOnlyMechanism("gated_positional");
  summary.reason = "Names and shapes are those of ConViT; attn.gating_param tells the heads.";
  summary.heads = {configuration.heads};
  summary.channels = configuration.channels;
  summary.classes = configuration.classes;
  summary.transform.height = summary.transform.width = configuration.side * configuration.patch;
  resolveConstructorArguments("ConViT", hints, configuration.epsilon, summary);
  if (configuration.classes > 0) {
    const ConfigurationFile* said = configurationFor(configuration.channels, hints);
    if (const auto pooling = resolveClassPooling("ConViT", summary.isPublished(), said, hints)) {
      configuration.poolsPatches = pooling->value == "mean";
      describeSetting(*pooling, summary);
    }
  }
  for (int i = 0; i < configuration.depth; ++i) {
    summary.layers.push_back(
        {.name = "blocks." + std::to_string(i) + ".attn",
         .mechanism = i < configuration.gatedDepth ? "gated_positional" : "softmax",
         .stage = 1,
         .heads = configuration.heads});
  }
  DefinedModel model{std::move(summary), std::make_shared<ConvitNetwork>(configuration)};
  model.pixelNorms = {"imagenet"};
  return model;
}

}  // namespace

Family convitFamily() {
  return {.name = "convit",
          .networks = "ConViT",
          .attention = "softmax",
          .recognises = isConvit,
          .define = defineConvit,
          // The distances between patches, which follow from the grid.
          .harmless = {"blocks.*.attn.rel_indices"}};
}

}  // namespace softscope
