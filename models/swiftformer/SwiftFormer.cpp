#include "core/Error.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Families.h"
#include "models/identify/OtherNetworks.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/ShapeReader.h"
#include "models/identify/StoredOptions.h"
#include "models/swiftformer/SwiftFormerNetwork.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

struct PublishedSwiftFormer {
  const char* name;
  std::vector<int> channels;
  std::vector<int> depths;
};

const PublishedSwiftFormer publishedSwiftFormers[] = {
    {"swiftformer_xs", {48, 56, 112, 220}, {3, 3, 6, 4}},
    {"swiftformer_s", {48, 64, 168, 224}, {3, 3, 9, 6}},
    {"swiftformer_l1", {48, 96, 192, 384}, {4, 3, 10, 5}},
    {"swiftformer_l3", {64, 128, 320, 512}, {4, 4, 12, 6}},
};

/// Hugging Face's names, `network.0.blocks.1.attn.w_g`, are others than the authors'.
bool isSwiftFormer(const StateDict& state) {
  return std::any_of(state.entries().begin(), state.entries().end(), [](const auto& entry) {
    const bool isOfAuthors =
        startsWith(entry.name, "network.") && entry.name.find(".blocks.") == std::string::npos;
    const bool isOfStage = isOfAuthors || startsWith(entry.name, "stages.");
    return isOfStage && entry.name.ends_with(".attn.w_g");
  });
}

/// Reads the sizes of a stage whose blocks' names begin with `blocks`.
SwiftFormerStage readSwiftFormerStage(const ShapeReader& shapes, const SwiftFormerNames& names,
                                      std::size_t index) {
  const std::string name = "stage " + std::to_string(index + 1);
  const std::string first = names.block(index, 0);
  SwiftFormerStage sizes;
  sizes.depth =
      shapes.require(shapes.count(first.substr(0, first.size() - 1)), "the blocks of " + name);
  const std::string last = names.block(index, sizes.depth - 1) + ".";
  const std::string attention = last + "attn.";
  auto channels = shapes.size({attention + "w_g", attention + "to_query.weight",
                               attention + "to_key.weight", attention + "final.weight"},
                              0);
  if (!channels) channels = shapes.size({last + "linear.fc2.weight"}, 0);
  sizes.channels = shapes.require(channels, "the channels of " + name);
  const std::string local = last + "local_representation.";
  sizes.local =
      shapes.size({local + "pwconv1.weight", local + "pwconv1.bias"}, 0).value_or(sizes.channels);
  sizes.hidden = shapes.size({last + "linear.fc1.weight", last + "linear.fc1.bias"}, 0)
                     .value_or(4 * sizes.channels);
  sizes.convolved = shapes.size({first + ".pwconv1.weight", first + ".pwconv1.bias"}, 0)
                        .value_or(4 * sizes.channels);
  return sizes;
}

/// Throws ModelError if further blocks of a stage than its last attend, as the authors' option
/// vit_num has it.
void requireOneAttentionPerStage(const StateDict& state, const SwiftFormerConfiguration& sizes) {
  for (std::size_t s = 0; s < sizes.stages.size(); ++s) {
    for (int block = 0; block + 1 < sizes.stages[s].depth; ++block) {
      const std::string name = sizes.names.block(s, block) + ".attn.w_g";
      if (!state.contains(name)) continue;
      throw ModelError(
          "this is a SwiftFormer with attention in more than the last block of a "
          "stage (" +
          name +
          ", vit_num above 1), which Softscope does not open; it opens those with "
          "one, as published; " +
          recordingAdvice());
    }
  }
}

/// Throws ModelError for forms of SwiftFormer that are not computed.
void requireClassifyingSwiftFormer(const ShapeReader& shapes, const SwiftFormerNames& names,
                                   const StateDict& state) {
  const auto refuse = [](const std::string& what) {
    throw ModelError("this is a SwiftFormer " + what +
                     ", which Softscope does not open; it opens those for classes, as published; " +
                     recordingAdvice());
  };
  if (state.contains("norm0.weight") && !state.contains("norm.weight")) {
    refuse("for detection or segmentation, with norms behind its stages (norm0, fork_feat=True)");
  }
  const std::string blocks = names.areTimms ? "stages." : "network.";
  const bool hasScales = shapes.any(blocks, "." + names.scale("layer_scale_1")) ||
                         shapes.any(blocks, "." + names.scale("layer_scale_2"));
  if (!hasScales) {
    refuse("without layer scales (no layer_scale_1, use_layer_scale=False)");
  }
}

SwiftFormerConfiguration readSwiftFormerConfiguration(const StateDict& state) {
  const ShapeReader shapes(state, "SwiftFormer");
  SwiftFormerConfiguration configuration;
  SwiftFormerNames& names = configuration.names;
  names.areTimms = !shapes.any("network.", ".attn.w_g");
  requireClassifyingSwiftFormer(shapes, names, state);
  const int counted = names.areTimms ? shapes.count("stages.") : (shapes.count("network.") + 1) / 2;
  const int stages = shapes.require(counted, "its stages");
  for (int index = 0; index < stages; ++index) {
    configuration.stages.push_back(
        readSwiftFormerStage(shapes, names, static_cast<std::size_t>(index)));
  }
  requireOneAttentionPerStage(state, configuration);
  const std::string stem = names.stem();
  configuration.stemChannels = shapes.require(
      shapes.size({stem + "0.weight", stem + "0.bias", stem + "1.weight"}, 0), "its stem");
  const std::string other = names.distilledHead();
  configuration.classes =
      shapes.size({"head.weight", "head.bias", other + ".weight", other + ".bias"}, 0).value_or(0);
  configuration.isDistilled = shapes.any(other + ".");
  return configuration;
}

std::string swiftFormerVariant(const SwiftFormerConfiguration& configuration) {
  std::vector<int> channels;
  std::vector<int> depths;
  for (const SwiftFormerStage& stage : configuration.stages) {
    channels.push_back(stage.channels);
    depths.push_back(stage.depth);
  }
  for (const PublishedSwiftFormer& variant : publishedSwiftFormers) {
    if (variant.channels == channels && variant.depths == depths) return variant.name;
  }
  return "custom";
}

/// Throws ModelError if a config.json sets an option of timm's or Hugging Face's that leaves
/// nothing in the weights to a value that is not computed.
void refuseOtherSwiftFormers(const ConfigurationFile* said, int classes) {
  requireConfigured(said, "down_patch_size", {"3"}, "SwiftFormer");
  requireConfigured(said, "down_stride", {"2"}, "SwiftFormer");
  requireConfigured(said, "down_pad", {"1"}, "SwiftFormer");
  requireConfigured(said, "output_stride", {"32"}, "SwiftFormer");
  requireConfigured(said, "use_layer_scale", {"true"}, "SwiftFormer");
  requireConfiguredClass(said, "act_layer", {"gelu"}, "SwiftFormer");
  if (classes > 0) requireConfiguredPoolingWord(said, {"mean"}, "SwiftFormer");
}

DefinedModel defineSwiftFormer(const StateDict& state, const ModelHints& hints) {
  requireOnly("SwiftFormer", "additive", hints);
  requireHeadsOfWeights("SwiftFormer, whose channels are its heads,", 1, hints);
  const SwiftFormerConfiguration configuration = readSwiftFormerConfiguration(state);
  const ConfigurationFile* said = configurationFor(configuration.stages.back().channels, hints);
  refuseOtherSwiftFormers(said, configuration.classes);
  ModelSummary summary;
  summary.family = "swiftformer";
  summary.variant = swiftFormerVariant(configuration);
  const bool isPublished = summary.isPublished();
  for (const auto& [key, value] : {std::pair("act_layer", "gelu"), std::pair("down_stride", "2"),
                                   std::pair("down_pad", "1")}) {
    resolveFixedOption({key, value, "SwiftFormer"}, isPublished, said, hints, summary);
  }
  summary.setOnlyMechanism("additive");
  summary.reason =
      "Names and shapes are those of SwiftFormer: attn.w_g is its alone. Every channel has a "
      "matrix of its own, k times the same row a; what is shown is their mean.";
  summary.channels = configuration.stages.back().channels;
  summary.classes = configuration.classes;
  summary.transform.cropFraction = configuration.names.areTimms ? 0.95 : 0.875;
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    const SwiftFormerStage& stage = configuration.stages[s];
    summary.layers.push_back({.name = configuration.names.block(s, stage.depth - 1) + ".attn",
                              .mechanism = "additive",
                              .stage = static_cast<int>(s) + 1,
                              .heads = 1});
    summary.heads.push_back(1);
  }
  return {std::move(summary), std::make_shared<SwiftFormerNetwork>(configuration)};
}

}  // namespace

Family swiftFormerFamily() {
  return {.name = "swiftformer",
          .networks = "SwiftFormer",
          .attention = "additive",
          .recognises = isSwiftFormer,
          .define = defineSwiftFormer};
}

}  // namespace softscope
