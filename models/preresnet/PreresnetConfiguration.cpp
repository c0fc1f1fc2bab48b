#include "models/preresnet/PreresnetConfiguration.h"

#include "core/Error.h"
#include "models/identify/ShapeReader.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

namespace softscope {

namespace {

struct PublishedNetwork {
  const char* name;
  int stemChannels;
  std::vector<int> channels;
  std::vector<int> depths;
  /// Ratio of a bottleneck's output channels to those of its 3 x 3 convolution; 0 for basic blocks.
  int expansion = 0;
};

/// PreResNet-(6k + 2), WRN-(6k + 4) and, for Tiny-ImageNet, PreResNet-50.
const PublishedNetwork publishedNetworks[] = {
    {"preresnet20", 16, {16, 32, 64}, {3, 3, 3}},
    {"preresnet32", 16, {16, 32, 64}, {5, 5, 5}},
    {"preresnet56", 16, {16, 32, 64}, {9, 9, 9}},
    {"preresnet110", 16, {16, 32, 64}, {18, 18, 18}},
    {"wrn28_10", 16, {160, 320, 640}, {4, 4, 4}},
    {"preresnet50", 64, {256, 512, 1024, 2048}, {3, 4, 6, 3}, 4},
};

constexpr std::size_t secondStage = 1;
constexpr std::string_view shortName = "_nl";
constexpr std::string_view longName = "nonlocal";

/// Distributes three blocks as evenly as possible among the residual ones, the last after the last.
/// (The paper gives their number and stage, but not their positions in it.)
std::vector<int> publishedPlacement(int depth) {
  constexpr int blocks = 3;
  std::vector<int> places;
  for (int i = 1; i <= blocks; ++i) places.push_back(i * depth / blocks - 1);
  return places;
}

PreresnetConfiguration configurationOf(const PublishedNetwork& network) {
  PreresnetConfiguration configuration;
  configuration.stemChannels = network.stemChannels;
  for (std::size_t s = 0; s < network.channels.size(); ++s) {
    const int channels = network.channels[s];
    configuration.stages.push_back(
        {.channels = channels,
         .bottleneck = network.expansion > 0 ? channels / network.expansion : 0,
         .depth = network.depths[s],
         .nonLocal = {},
         .embedding = 0});
  }
  return configuration;
}

PreresnetConfiguration withNonLocal(PreresnetConfiguration configuration,
                                    const NonLocalMechanism& mechanism) {
  PreresnetStageConfiguration& stage = configuration.stages[secondStage];
  stage.nonLocal = publishedPlacement(stage.depth);
  stage.embedding = stage.channels;
  configuration.mechanism = mechanism;
  return configuration;
}

/// Returns `_nl_scaled` for `nonlocal_scaled`.
std::string variantEnding(const std::string& mechanism) {
  return std::string(shortName) + mechanism.substr(longName.size());
}

void readNonLocal(const ShapeReader& shapes, const std::string& name,
                  PreresnetStageConfiguration& sizes) {
  for (int i = 0; i < sizes.depth; ++i) {
    const std::string block = name + ".nonlocal" + std::to_string(i) + ".";
    if (!shapes.any(block)) continue;
    sizes.nonLocal.push_back(i);
    if (sizes.embedding > 0) continue;
    auto embedding = shapes.size({block + "theta.weight", block + "phi.weight", block + "g.weight",
                                  block + "theta.bias", block + "phi.bias", block + "g.bias"},
                                 0);
    if (!embedding) embedding = shapes.size({block + "W.0.weight", block + "W.weight"}, 1);
    sizes.embedding = embedding.value_or(0);
  }
  if (!sizes.nonLocal.empty()) {
    sizes.embedding = shapes.require(sizes.embedding, "the embeddings of " + name);
  }
}

PreresnetStageConfiguration readPreresnetStage(const ShapeReader& shapes, int stage) {
  const std::string name = "stage" + std::to_string(stage);
  const std::string first = name + ".block0.";
  const std::string second = name + ".block1.";
  PreresnetStageConfiguration sizes;
  sizes.depth = shapes.require(shapes.count(name + ".block"), "the blocks of " + name);
  const bool bottleneck = shapes.any(name + ".block", ".conv3.weight");
  sizes.channels = shapes.require(
      bottleneck
          ? shapes.size(
                {first + "conv3.weight", second + "conv3.weight", first + "shortcut.weight"}, 0)
          : shapes.size({first + "conv2.weight", first + "conv1.weight", first + "norm2.weight"},
                        0),
      "the channels of " + name);
  if (bottleneck) {
    sizes.bottleneck = shapes.require(
        shapes.size({first + "conv2.weight", first + "conv1.weight", first + "norm2.weight"}, 0),
        "the bottlenecks of " + name);
  }
  readNonLocal(shapes, name, sizes);
  return sizes;
}

}  // namespace

PreresnetConfiguration readPreresnetConfiguration(const StateDict& state) {
  const ShapeReader shapes(state, "a non-local PreResNet");
  PreresnetConfiguration configuration;
  configuration.stemChannels = shapes.require(
      shapes.size({"stem.weight", "stage1.block0.norm1.weight", "stage1.block0.norm1.bias"}, 0),
      "its width");
  configuration.stemKernel = shapes.size({"stem.weight"}, 2).value_or(configuration.stemKernel);
  const int stages = shapes.require(shapes.count("stage") - 1, "its stages");
  for (int stage = 1; stage <= stages; ++stage) {
    configuration.stages.push_back(readPreresnetStage(shapes, stage));
  }
  configuration.nonLocalNorm =
      shapes.any("stage", ".W.1.weight") || shapes.any("stage", ".W.0.weight");
  configuration.classes = shapes.size({"head.weight", "head.bias"}, 0).value_or(0);
  return configuration;
}

std::string preresnetVariant(const PreresnetConfiguration& configuration) {
  for (const PublishedNetwork& network : publishedNetworks) {
    PreresnetConfiguration plain = configurationOf(network);
    plain.heads = configuration.heads;
    plain.classes = configuration.classes;
    if (!configuration.hasNonLocal()) {
      plain.mechanism = configuration.mechanism;
      plain.nonLocalNorm = configuration.nonLocalNorm;
      if (plain == configuration) return network.name;
    } else if (withNonLocal(plain, configuration.mechanism) == configuration) {
      return network.name + variantEnding(mechanismName(configuration.mechanism));
    }
  }
  return "custom";
}

std::optional<PreresnetConfiguration> publishedPreresnet(const std::string& variant) {
  for (const PublishedNetwork& network : publishedNetworks) {
    if (variant == network.name) return configurationOf(network);
    for (const std::string& mechanism : nonLocalMechanisms()) {
      if (variant != network.name + variantEnding(mechanism)) continue;
      return withNonLocal(configurationOf(network), *nonLocalMechanism(mechanism));
    }
  }
  return std::nullopt;
}

PreresnetConfiguration resizedPreresnet(PreresnetConfiguration configuration,
                                        const ArchitectureSizes& sizes) {
  if (!sizes.heads.empty() && !configuration.hasNonLocal()) {
    throw ModelError("a network without non-local blocks has no heads; leave out --heads");
  }
  std::vector<int> widths;
  for (const PreresnetStageConfiguration& stage : configuration.stages) {
    widths.push_back(stage.channels);
  }
  chooseSizes(sizes.widths, widths, "--width");
  chooseSizes(sizes.heads, {&configuration.heads, 1}, "--heads");
  for (std::size_t s = 0; s < widths.size(); ++s) {
    PreresnetStageConfiguration& stage = configuration.stages[s];
    stage.channels = widths[s];
    if (stage.nonLocal.empty()) continue;
    stage.embedding = widths[s];
    requireTrainableHeads(stage.embedding, configuration.heads, s + 1);
  }
  return configuration;
}

std::optional<std::string> mechanismInName(const std::string& name) {
  std::optional<std::string> longest;
  for (const std::string& mechanism : nonLocalMechanisms()) {
    const std::size_t place = name.find(variantEnding(mechanism));
    // The ending must follow a digit: `preresnet_nl` is the family's name, which implies no
    // mechanism.
    const bool named = (place != std::string::npos && place > 0 &&
                        std::isdigit(static_cast<unsigned char>(name[place - 1])) != 0) ||
                       name.find(mechanism) != std::string::npos;
    if (named && (!longest || mechanism.size() > longest->size())) longest = mechanism;
  }
  return longest;
}

}  // namespace softscope
