#include "models/efficientvit/EfficientVitConfiguration.h"

#include "models/identify/ResolvedHeads.h"
#include "models/identify/ShapeReader.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace softscope {

namespace {

struct PublishedEfficientVit {
  const char* name;
  int stemChannels;
  std::vector<int> channels;
  std::vector<std::size_t> blocks;  ///< in the stem, after its convolution, and in each stage
};

const PublishedEfficientVit publishedEfficientVits[] = {
    {"efficientvit_b0", 8, {16, 32, 64, 128}, {1, 2, 2, 3, 3}},
    {"efficientvit_b1", 16, {32, 64, 128, 256}, {1, 2, 3, 4, 5}},
    {"efficientvit_b2", 24, {48, 96, 192, 384}, {1, 3, 4, 5, 7}},
    {"efficientvit_b3", 32, {64, 128, 256, 512}, {1, 4, 6, 7, 10}},
    {"efficientvit_l1", 32, {64, 128, 256, 512}, {1, 2, 2, 7, 7}},
    {"efficientvit_l2", 32, {64, 128, 256, 512}, {1, 3, 3, 9, 9}},
    {"efficientvit_l3", 64, {128, 256, 512, 1024}, {1, 3, 3, 9, 9}},
};

constexpr std::string_view efficientVitAttentionPart = ".context_module.main.";

/// Returns true for names in a whole network. Other networks have the same attention elsewhere: an
/// autoencoder in stages without a stem (DC-AE), Segment Anything in a part.
bool isOfEfficientVitTrunk(std::string_view name) {
  constexpr std::string_view beginnings[] = {
      "backbone.", "stem.", "input_stem.", "stages.0.op_list.0.conv.", "stages.0.op_list.0.norm."};
  return std::any_of(std::begin(beginnings), std::end(beginnings),
                     [&](std::string_view beginning) { return name.starts_with(beginning); });
}

EfficientVitNames readEfficientVitNames(const ShapeReader& shapes) {
  EfficientVitNames names;
  if (!shapes.any(names.backbone)) names.backbone.clear();
  const std::string& backbone = names.backbone;
  names.timm = !shapes.any(backbone + "input_stem.") &&
               !shapes.any(backbone + "stages.0.op_list.") && !shapes.any("head.op_list.");
  names.large = names.timm ? shapes.any("stem.res", ".main.conv1.conv.weight") ||
                                 shapes.any("stages.", ".main.spatial_conv.conv.weight")
                           : !shapes.any(backbone + "input_stem.");
  return names;
}

/// Reads a block of the stem or of a stage; its names begin with `block`.
EfficientVitBlockConfiguration readEfficientVitBlock(const ShapeReader& shapes,
                                                     const std::string& block) {
  using Kind = EfficientVitBlockKind;
  EfficientVitBlockConfiguration sizes;
  const bool attends = shapes.any(block + "context_module.") || shapes.any(block + "local_module.");
  const std::string main = block + (attends ? "local_module.main." : "main.");
  const auto first = [&](const std::string& convolution) {
    return shapes.size({main + convolution + ".conv.weight", main + convolution + ".conv.bias",
                        main + convolution + ".norm.weight"},
                       0);
  };
  const std::string what = "the channels within " + block.substr(0, block.size() - 1);
  if (shapes.any(main + "conv1.")) {
    sizes.kind = Kind::Residual;
    sizes.hidden = shapes.require(first("conv1"), what);
  } else if (shapes.any(main + "spatial_conv.")) {
    sizes.kind = Kind::Fused;
    sizes.hidden = shapes.require(first("spatial_conv"), what);
  } else if (attends || shapes.any(main + "inverted_conv.")) {
    sizes.kind = attends ? Kind::Attention : Kind::Inverted;
    auto hidden = first("inverted_conv");
    if (!hidden) hidden = first("depth_conv");
    sizes.hidden = shapes.require(hidden, what);
  } else {
    sizes.kind = Kind::Separable;
    sizes.hidden = shapes.require(first("depth_conv"), what);
  }
  // The last convolution of a block has a norm in any case.
  for (const char* inner : {"conv1", "spatial_conv", "inverted_conv", "depth_conv"}) {
    sizes.biases = sizes.biases || shapes.any(main + inner + ".conv.bias");
  }
  return sizes;
}

EfficientVitStageConfiguration readEfficientVitStage(const ShapeReader& shapes,
                                                     const std::string& blocks) {
  EfficientVitStageConfiguration stage;
  const std::string first = blocks + "0.main.point_conv.";
  const std::string what = blocks.substr(0, blocks.size() - 1);
  stage.channels = shapes.require(
      shapes.size({first + "conv.weight", first + "norm.weight", first + "norm.bias"}, 0),
      "the channels of " + what);
  const int count = shapes.require(shapes.count(blocks), "the blocks of " + what);
  for (int i = 0; i < count; ++i) {
    stage.blocks.push_back(readEfficientVitBlock(shapes, blocks + std::to_string(i) + "."));
  }
  return stage;
}

/// Returns the channels of a head, which are the groups in which aggregated queries, keys and
/// values are mixed.
int readEfficientVitHeadWidth(const StateDict& state, const ShapeReader& shapes) {
  std::string mixture(efficientVitAttentionPart);
  mixture += "aggreg.0.1.weight";
  for (const auto& entry : state.entries()) {
    if (entry.name.ends_with(mixture)) {
      return shapes.require(shapes.size({entry.name}, 1), "the channels of its heads");
    }
  }
  return shapes.require({}, "the channels of its heads");
}

void readEfficientVitHead(const ShapeReader& shapes, EfficientVitConfiguration& configuration) {
  const EfficientVitNames& names = configuration.names;
  const std::string convolution = names.headConvolution();
  configuration.headHidden =
      shapes.size({convolution + ".conv.weight", convolution + ".norm.weight"}, 0).value_or(0);
  configuration.headFeatures =
      shapes.size({names.headLinear() + ".weight", names.headNorm() + ".weight"}, 0).value_or(0);
  configuration.classes =
      shapes.size({names.classifier() + ".weight", names.classifier() + ".bias"}, 0).value_or(0);
  if (configuration.classes > 0) {
    shapes.require(std::min(configuration.headHidden, configuration.headFeatures),
                   "the channels of its head");
  }
}

void requireWholeEfficientVitHeads(const EfficientVitConfiguration& configuration) {
  for (const EfficientVitStageConfiguration& stage : configuration.stages) {
    if (stage.hasAttention()) headsOfWidth("EfficientViT", stage.channels, configuration.headWidth);
  }
}

}  // namespace

bool EfficientVitStageConfiguration::hasAttention() const {
  return std::any_of(blocks.begin(), blocks.end(), [](const auto& block) {
    return block.kind == EfficientVitBlockKind::Attention;
  });
}

std::string EfficientVitNames::stem() const {
  if (timm) return "stem.in_conv";
  return stemBlocks() + "0";
}

std::string EfficientVitNames::stemBlocks() const {
  if (timm) return "stem.res";
  return backbone + (large ? "stages.0.op_list." : "input_stem.op_list.");
}

std::string EfficientVitNames::stemBlock(std::size_t index) const {
  // The authors count the stem's convolution as its first block.
  return stemBlocks() + std::to_string(timm ? index : index + 1);
}

std::string EfficientVitNames::blocks(std::size_t stage) const {
  if (timm) return "stages." + std::to_string(stage) + ".blocks.";
  return backbone + "stages." + std::to_string(large ? stage + 1 : stage) + ".op_list.";
}

std::string EfficientVitNames::headConvolution() const {
  return timm ? "head.in_conv" : "head.op_list.0";
}

std::string EfficientVitNames::headLinear() const {
  return timm ? "head.classifier.0" : "head.op_list.2.linear";
}

std::string EfficientVitNames::headNorm() const {
  return timm ? "head.classifier.1" : "head.op_list.2.norm";
}

std::string EfficientVitNames::classifier() const {
  return timm ? "head.classifier.4" : "head.op_list.3.linear";
}

bool isEfficientVit(const StateDict& state) {
  const auto anyName = [&](const auto& accepts) {
    return std::any_of(state.entries().begin(), state.entries().end(),
                       [&](const auto& entry) { return accepts(std::string_view(entry.name)); });
  };
  return anyName(isOfEfficientVitTrunk) && anyName([](std::string_view name) {
           return name.find(efficientVitAttentionPart) != std::string_view::npos;
         });
}

EfficientVitConfiguration readEfficientVitConfiguration(const StateDict& state) {
  const ShapeReader shapes(state, "EfficientViT");
  EfficientVitConfiguration configuration;
  const EfficientVitNames& names = configuration.names = readEfficientVitNames(shapes);
  configuration.stemChannels = shapes.require(
      shapes.size({names.stem() + ".conv.weight", names.stem() + ".norm.weight"}, 0), "its stem");
  const int stemBlocks = shapes.count(names.stemBlocks()) - (names.timm ? 0 : 1);
  for (int i = 0; i < stemBlocks; ++i) {
    const std::string block = names.stemBlock(static_cast<std::size_t>(i)) + ".";
    configuration.stemBlocks.push_back(readEfficientVitBlock(shapes, block));
  }
  const bool stemIsStage = names.large && !names.timm;
  const int stages =
      shapes.count(names.timm ? "stages." : names.backbone + "stages.") - stemIsStage;
  for (int s = 0; s < shapes.require(stages, "its stages"); ++s) {
    configuration.stages.push_back(
        readEfficientVitStage(shapes, names.blocks(static_cast<std::size_t>(s))));
  }
  configuration.headWidth = readEfficientVitHeadWidth(state, shapes);
  requireWholeEfficientVitHeads(configuration);
  readEfficientVitHead(shapes, configuration);
  return configuration;
}

std::string efficientVitVariant(const EfficientVitConfiguration& configuration) {
  std::vector<int> channels;
  std::vector<std::size_t> blocks{configuration.stemBlocks.size()};
  for (const EfficientVitStageConfiguration& stage : configuration.stages) {
    channels.push_back(stage.channels);
    blocks.push_back(stage.blocks.size());
  }
  for (const PublishedEfficientVit& variant : publishedEfficientVits) {
    if (variant.stemChannels == configuration.stemChannels && variant.channels == channels &&
        variant.blocks == blocks) {
      return variant.name;
    }
  }
  return "custom";
}

}  // namespace softscope
