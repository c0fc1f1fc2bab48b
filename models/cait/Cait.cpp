#include "models/cait/CaitNetwork.h"
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

struct PublishedCait {
  const char* size;
  int channels;
  int depth;
};

constexpr PublishedCait publishedCaits[] = {
    {"xxs24", 192, 24}, {"xxs36", 192, 36}, {"xs24", 288, 24}, {"s24", 384, 24},
    {"s36", 384, 36},   {"m36", 768, 36},   {"m48", 768, 48}};

bool isCait(const StateDict& state) {
  const ShapeReader shapes(state, "CaiT");
  return shapes.any("blocks.", ".attn.proj_l.weight") ||
         shapes.any("blocks.", ".attn.proj_w.weight") ||
         shapes.any("blocks_token_only.", ".attn.q.weight");
}

int sideOfCait(const ShapeReader& shapes) {
  return requireSquare(shapes.require(shapes.size({"pos_embed"}, 1), "its positions"));
}

CaitConfiguration readCait(const StateDict& state, const ModelHints& hints) {
  const ShapeReader shapes(state, "CaiT");
  CaitConfiguration configuration;
  configuration.channels = shapes.require(
      shapes.size({"patch_embed.proj.weight", "patch_embed.proj.bias", "norm.weight"}, 0),
      "its width");
  configuration.heads =
      shapes.require(shapes.size({"blocks.0.attn.proj_l.weight", "blocks.0.attn.proj_w.weight",
                                  "blocks.0.attn.proj_l.bias", "blocks.0.attn.proj_w.bias"},
                                 0),
                     "its heads");
  requireWholeHeads("CaiT", configuration.channels, configuration.heads, 1);
  configuration.depth = shapes.require(shapes.count("blocks."), "its blocks");
  configuration.classDepth = std::max(1, shapes.count("blocks_token_only."));
  configuration.hidden = shapes.size({"blocks.0.mlp.fc1.weight", "blocks.0.mlp.fc1.bias"}, 0)
                             .value_or(4 * configuration.channels);
  configuration.classHidden =
      shapes.size({"blocks_token_only.0.mlp.fc1.weight", "blocks_token_only.0.mlp.fc1.bias"}, 0)
          .value_or(4 * configuration.channels);
  configuration.patch = std::max(1, shapes.size({"patch_embed.proj.weight"}, 2).value_or(16));
  requireSquarePictures(configurationFor(configuration.channels, hints), "CaiT");
  configuration.side = sideOfCait(shapes);
  configuration.classes = shapes.size({"head.weight", "head.bias"}, 0).value_or(0);
  configuration.queryBias = shapes.any("blocks.", ".attn.qkv.bias");
  return configuration;
}

std::string caitVariant(const CaitConfiguration& configuration) {
  const int picture = configuration.side * configuration.patch;
  for (const PublishedCait& variant : publishedCaits) {
    if (variant.channels == configuration.channels && variant.depth == configuration.depth &&
        configuration.patch == 16 && configuration.heads * 48 == configuration.channels) {
      return std::string("cait_") + variant.size + "_" + std::to_string(picture);
    }
  }
  return "custom";
}

DefinedModel defineCait(const StateDict& state, const ModelHints& hints) {
  requireOnly("CaiT", "talking_heads", hints);
  CaitConfiguration configuration = readCait(state, hints);
  requireHeadsOfWeights("CaiT", configuration.heads, hints);
  ModelSummary summary;
  summary.family = "cait";
  summary.variant = caitVariant(configuration);
  summary.setOnlyMechanism("talking_heads");
  summary.reason = "Names and shapes are those of CaiT; attn.proj_l tells the heads.";
  summary.heads = {configuration.heads};
  summary.channels = configuration.channels;
  summary.classes = configuration.classes;
  summary.transform.height = summary.transform.width = configuration.side * configuration.patch;
  summary.transform.cropFraction = 1;
  resolveConstructorArguments("CaiT", hints, configuration.epsilon, summary);
  if (configuration.classes > 0) {
    const ConfigurationFile* said = configurationFor(configuration.channels, hints);
    if (const auto pooling = resolveClassPooling("CaiT", summary.isPublished(), said, hints)) {
      configuration.poolsPatches = pooling->value == "mean";
      describeSetting(*pooling, summary);
    }
  }
  const auto list = [&](const std::string& blocks, int depth, const std::string& mechanism) {
    for (int i = 0; i < depth; ++i) {
      summary.layers.push_back({.name = blocks + std::to_string(i) + ".attn",
                                .mechanism = mechanism,
                                .stage = 1,
                                .heads = configuration.heads});
    }
  };
  list("blocks.", configuration.depth, "talking_heads");
  list("blocks_token_only.", configuration.classDepth, "softmax_class");
  DefinedModel model{std::move(summary), std::make_shared<CaitNetwork>(configuration)};
  model.pixelNorms = {"imagenet"};
  return model;
}

}  // namespace

Family caitFamily() {
  return {.name = "cait",
          .networks = "CaiT",
          .attention = "softmax",
          .recognises = isCait,
          .define = defineCait};
}

}  // namespace softscope
