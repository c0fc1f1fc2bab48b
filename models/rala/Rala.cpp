#include "core/Error.h"
#include "models/identify/Families.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/ShapeReader.h"
#include "models/rala/RalaNetwork.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

struct PublishedRala {
  const char* name;
  std::vector<int> channels;
  std::vector<int> depths;
};

const PublishedRala publishedRalas[] = {
    {"ravlt_t", {64, 128, 256, 512}, {2, 2, 6, 2}},
    {"ravlt_s", {64, 128, 320, 512}, {3, 5, 9, 3}},
    {"ravlt_b", {96, 192, 384, 512}, {4, 6, 12, 6}},
    {"ravlt_l", {96, 192, 448, 640}, {4, 7, 19, 8}},
};

/// Stages after these have softmax attention, which no name or shape shows.
constexpr int linearStages = 2;

bool isRala(const StateDict& state) {
  return std::any_of(state.entries().begin(), state.entries().end(), [](const auto& entry) {
    return startsWith(entry.name, "layers.") &&
           (entry.name.find(".attn.qkvo.") != std::string::npos ||
            entry.name.ends_with(".RoPE.angle"));
  });
}

RalaStageConfiguration readRalaStage(const ShapeReader& shapes, int index) {
  const std::string stage = "layers." + std::to_string(index) + ".";
  const std::string block = stage + "blocks.0.";
  const std::string name = "stage " + std::to_string(index + 1);
  RalaStageConfiguration sizes;
  sizes.depth = shapes.require(shapes.count(stage + "blocks."), "the blocks of " + name);
  sizes.channels = shapes.require(
      shapes.size({block + "norm1.norm.weight", block + "norm1.norm.bias", block + "pos.bias"}, 0),
      "the channels of " + name);
  sizes.hidden = shapes.require(shapes.size({block + "ffn.fc1.weight", block + "ffn.fc1.bias"}, 0),
                                "the mlp of " + name);
  // There are half as many rates as a head has channels.
  const int rates = shapes.require(shapes.size({stage + "RoPE.angle"}, 0), "the heads of " + name);
  sizes.heads = std::max(1, sizes.channels / (2 * rates));
  if (rates % 2 != 0 || sizes.heads * 2 * rates != sizes.channels) {
    throw ModelError("this looks like RAVLT, but " + std::to_string(sizes.channels) +
                     " channels make no whole number of heads of " + std::to_string(2 * rates) +
                     " in " + name + "; the file may be damaged");
  }
  sizes.layerScale =
      shapes.any(stage + "blocks.", ".gamma_1") || shapes.any(stage + "blocks.", ".gamma_2");
  sizes.linear = index < linearStages;
  return sizes;
}

RalaConfiguration readRalaConfiguration(const StateDict& state) {
  const ShapeReader shapes(state, "RAVLT");
  RalaConfiguration configuration;
  const int stages = shapes.require(shapes.count("layers."), "its stages");
  for (int index = 0; index < stages; ++index) {
    configuration.stages.push_back(readRalaStage(shapes, index));
  }
  const std::string stem = "patch_embed.proj.";
  configuration.stemChannels =
      shapes.require(shapes.size({stem + "0.weight", stem + "0.bias"}, 0), "its stem");
  configuration.projection = shapes.require(
      shapes.size({"proj.weight", "proj.bias", "norm.weight"}, 0), "its last projection");
  configuration.classes = shapes.size({"head.weight", "head.bias"}, 0).value_or(0);
  return configuration;
}

std::string ralaVariant(const RalaConfiguration& configuration) {
  std::vector<int> channels;
  std::vector<int> depths;
  for (const RalaStageConfiguration& stage : configuration.stages) {
    channels.push_back(stage.channels);
    depths.push_back(stage.depth);
  }
  for (const PublishedRala& variant : publishedRalas) {
    if (variant.channels == channels && variant.depths == depths) return variant.name;
  }
  return "custom";
}

void listRalaLayers(const RalaConfiguration& configuration, ModelSummary& summary) {
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    const RalaStageConfiguration& stage = configuration.stages[s];
    const std::string blocks = "layers." + std::to_string(s) + ".blocks.";
    for (int i = 0; i < stage.depth; ++i) {
      summary.layers.push_back({.name = blocks + std::to_string(i) + ".attn",
                                .mechanism = stage.linear ? summary.mechanism : "softmax",
                                .stage = static_cast<int>(s) + 1,
                                .heads = stage.heads});
    }
    summary.heads.push_back(stage.heads);
  }
}

DefinedModel defineRala(const StateDict& state, const ModelHints& hints) {
  const MechanismNames names{
      .network = "RAVLT", .mechanisms = {"rala"}, .namedBy = nullptr, .usualIsCertain = true};
  const ResolvedMechanism decision = resolveMechanism(names, hints);
  const RalaConfiguration configuration = readRalaConfiguration(state);
  requireToldHeads("RAVLT's rotations", configuration.stages.back().heads, hints);

  ModelSummary summary;
  summary.family = "rala";
  summary.variant = ralaVariant(configuration);
  summary.mechanism = decision.mechanism;
  summary.alternatives = alternatives(names, decision.mechanism);
  summary.mechanismConfidence = decision.confidence;
  summary.reason =
      "Names and shapes are those of RAVLT, whose first two stages have rank-augmented linear "
      "attention and the others the softmax.";
  summary.channels = configuration.stages.back().channels;
  summary.classes = configuration.classes;
  listRalaLayers(configuration, summary);
  return {std::move(summary), std::make_shared<RalaNetwork>(configuration)};
}

}  // namespace

Family ralaFamily() {
  return {.name = "rala",
          .networks = "RAVLT",
          .attention = "linear attention",
          .recognises = isRala,
          .define = defineRala};
}

}  // namespace softscope
