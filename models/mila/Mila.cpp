#include "core/Error.h"
#include "models/identify/Families.h"
#include "models/identify/OtherNetworks.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/ShapeReader.h"
#include "models/identify/StoredOptions.h"
#include "models/mila/MilaLayout.h"
#include "models/mila/MilaNetwork.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

const PublishedPyramid publishedMilas[] = {
    {"mlla_tiny", 64, {2, 4, 8, 4}},
    {"mlla_small", 64, {3, 6, 21, 6}},
    {"mlla_base", 96, {3, 6, 21, 6}},
};

constexpr int milaHeadWidth = 32;

bool isMila(const StateDict& state) {
  return std::any_of(state.entries().begin(), state.entries().end(), [](const auto& entry) {
    return startsWith(entry.name, "layers.") && entry.name.find(".blocks.") != std::string::npos &&
           (entry.name.find(".attn.qk.") != std::string::npos ||
            entry.name.find(".attn.rope.rotations") != std::string::npos);
  });
}

/// Returns the grid of the tables of rotations; every block of a stage has one.
TokenGrid readMilaGrid(const ShapeReader& shapes, const std::string& stage, int depth) {
  for (int i = 0; i < depth; ++i) {
    const std::string table = stage + "blocks." + std::to_string(i) + ".attn.rope.rotations";
    const auto height = shapes.size({table}, 0);
    const auto width = shapes.size({table}, 1);
    if (height && width) return {*height, *width};
  }
  return {};
}

MilaStageConfiguration readMilaStage(const ShapeReader& shapes, int index) {
  const std::string stage = "layers." + std::to_string(index) + ".";
  const std::string block = stage + "blocks.0.";
  const std::string name = "stage " + std::to_string(index + 1);
  MilaStageConfiguration sizes;
  sizes.depth = shapes.require(shapes.count(stage + "blocks."), "the blocks of " + name);
  sizes.channels = shapes.require(
      shapes.size({block + "norm1.weight", block + "norm1.bias", block + "norm2.weight"}, 0),
      "the channels of " + name);
  sizes.hidden = shapes.size({block + "mlp.fc1.weight", block + "mlp.fc1.bias"}, 0)
                     .value_or(4 * sizes.channels);
  const std::string downsample = stage + "downsample.conv.";
  sizes.downsampleHidden =
      shapes.size({downsample + "0.conv.weight", downsample + "0.conv.bias"}, 0).value_or(0);
  sizes.grid = readMilaGrid(shapes, stage, sizes.depth);
  return sizes;
}

MilaConfiguration readMilaConfiguration(const StateDict& state) {
  const ShapeReader shapes(state, "MILA");
  MilaConfiguration configuration;
  const int stages = shapes.require(shapes.count("layers."), "its stages");
  for (int index = 0; index < stages; ++index) {
    MilaStageConfiguration stage = readMilaStage(shapes, index);
    if (index > 0) {
      const TokenGrid& before = configuration.stages.back().grid;
      if (stage.grid == TokenGrid{}) {
        stage.grid = {halvedSide(before.height), halvedSide(before.width)};
      }
    }
    shapes.require(std::min(stage.grid.height, stage.grid.width),
                   "the grid of stage " + std::to_string(index + 1));
    configuration.stages.push_back(stage);
  }
  configuration.queryBias = shapes.any("layers.", ".attn.qk.bias");
  readStemAndHead(shapes, configuration);
  return configuration;
}

/// Returns the heads of the last stage, from which the width of all heads follows; no shape
/// determines them.
DefaultHeads defaultMilaHeads(const MilaConfiguration& configuration, bool published) {
  const int channels = configuration.stages.back().channels;
  if (published) return certainHeads(channels / milaHeadWidth, "as in published networks");
  int shared = 0;
  for (const MilaStageConfiguration& stage : configuration.stages) {
    shared = std::gcd(shared, stage.channels);
  }
  const bool usual = shared % milaHeadWidth == 0;
  DefaultHeads heads{.heads = usual ? channels / milaHeadWidth : channels / shared,
                     .reason =
                         "no published MILA has these channels and depths, and no weight "
                         "tells the heads",
                     .possible = possibleHeads(channels)};
  return heads;
}

/// Gives every stage the heads from the metadata or options, or else heads as wide as those of the
/// last stage. Throws ModelError if its channels are not divisible accordingly.
void spreadMilaHeads(const ResolvedHeads& heads, MilaConfiguration& configuration) {
  const int width = configuration.stages.back().channels / heads.heads;
  for (std::size_t i = 0; i < configuration.stages.size(); ++i) {
    MilaStageConfiguration& stage = configuration.stages[i];
    stage.heads = stage.channels % width == 0 ? stage.channels / width : 1;
    if (!heads.ofStages.empty()) stage.heads = heads.ofStages[i];
    // Channels are rotated in pairs, and both of a pair belong to one head.
    requireWholeHeads("MILA", stage.channels, 2 * stage.heads, i + 1);
  }
}

void listMilaLayers(const MilaConfiguration& configuration, ModelSummary& summary) {
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    const MilaStageConfiguration& stage = configuration.stages[s];
    const std::string blocks = "layers." + std::to_string(s) + ".blocks.";
    for (int i = 0; i < stage.depth; ++i) {
      summary.layers.push_back({.name = blocks + std::to_string(i) + ".attn",
                                .mechanism = summary.mechanism,
                                .stage = static_cast<int>(s) + 1,
                                .heads = stage.heads});
    }
    summary.heads.push_back(stage.heads);
  }
}

DefinedModel defineMila(const StateDict& state, const ModelHints& given) {
  const ModelHints hints = withStoredHeads("MODEL.MLLA.NUM_HEADS", given);
  const MechanismNames names{
      .network = "MILA", .mechanisms = {"mlla"}, .namedBy = nullptr, .usualIsCertain = true};
  const ResolvedMechanism decision = resolveMechanism(names, hints);
  MilaConfiguration configuration = readMilaConfiguration(state);
  if (state.contains("absolute_pos_embed")) {
    throw ModelError(
        "this is MILA with a table of positions (absolute_pos_embed, ape=True), which Softscope "
        "does not compute; " +
        recordingAdvice());
  }
  const std::string variant = publishedPyramid(publishedMilas, configuration.stages);
  std::vector<int> channels;
  for (const MilaStageConfiguration& stage : configuration.stages) {
    channels.push_back(stage.channels);
  }
  const ResolvedHeads heads =
      resolveStageHeads(channels, defaultMilaHeads(configuration, variant != "custom"), hints);
  spreadMilaHeads(heads, configuration);
  const bool publishedHeads = std::all_of(configuration.stages.begin(), configuration.stages.end(),
                                          [](const MilaStageConfiguration& stage) {
                                            return stage.heads * milaHeadWidth == stage.channels;
                                          });

  ModelSummary summary;
  summary.family = "mlla";
  summary.variant = publishedHeads ? variant : "custom";
  summary.mechanism = decision.mechanism;
  summary.alternatives = alternatives(names, decision.mechanism);
  summary.mechanismConfidence = decision.confidence;
  summary.reason =
      "Names and shapes are those of MILA: its attention projects queries and keys alone, and "
      "rotates them.";
  describeHeads(heads, summary);
  summary.channels = configuration.stages.back().channels;
  resolveUsualLayers("MILA", milaNormEpsilon, variant != "custom", hints, summary);
  summary.classes = configuration.classes;
  const TokenGrid& grid = configuration.stages.front().grid;
  summary.transform.height = milaPatch * grid.height;
  summary.transform.width = milaPatch * grid.width;
  listMilaLayers(configuration, summary);
  DefinedModel model{std::move(summary), std::make_shared<MilaNetwork>(configuration)};
  if (variant != "custom") model.publishedAs = variant;
  return model;
}

}  // namespace

Family milaFamily() {
  return {.name = "mlla",
          .networks = "MILA",
          .attention = "linear attention",
          .recognises = isMila,
          .define = defineMila};
}

}  // namespace softscope
