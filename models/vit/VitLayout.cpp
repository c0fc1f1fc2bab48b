#include "models/vit/VitLayout.h"

#include "core/Error.h"
#include "core/text/FileText.h"
#include "models/identify/OtherNetworks.h"
#include "models/identify/ShapeReader.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace softscope {

namespace {

/// Returns true if the mlp's first product has the rows of both halves of a gate.
bool isPackedGate(const ShapeReader& shapes, const std::string& block, const VitBlockNames& names) {
  const auto rows =
      shapes.size({block + names.expand + ".weight", block + names.expand + ".bias"}, 0);
  const auto columns = shapes.size({block + names.contract + ".weight"}, 1);
  return rows && columns && *rows == 2 * *columns;
}

/// Returns the number of entries in the position table, if there is one.
std::optional<int> positionEntries(const ShapeReader& shapes, const VitNames& names) {
  if (names.positions.empty()) return std::nullopt;
  return shapes.size({names.positions}, names.hasFlatTokens ? 0 : 1);
}

/// Returns true if there is a class token, or one is missing. A table whose entries form a square,
/// or a square and one for each register, needs none for a class token; in other tables, a missing
/// class token means damage.
bool needsClassToken(const ShapeReader& shapes, const StateDict& state,
                     const VitConfiguration& sizes) {
  const VitNames& names = sizes.names;
  if (names.classToken.empty()) return false;
  if (names.positions.empty() || state.contains(names.classToken)) return true;
  const auto entries = positionEntries(shapes, names);
  const bool isSquare =
      entries && (squareSide(*entries) > 0 ||
                  (sizes.registers > 0 && squareSide(*entries - sizes.registers) > 0));
  return !isSquare;
}

void readPrefix(const ShapeReader& shapes, const StateDict& state, VitConfiguration& sizes) {
  const VitNames& names = sizes.names;
  sizes.registers = names.registers.empty() ? 0 : shapes.size({names.registers}, 1).value_or(0);
  sizes.distillationToken =
      !names.distillationToken.empty() &&
      (state.contains(names.distillationToken) || !names.distillationHead.empty());
  sizes.classToken = needsClassToken(shapes, state, sizes);
}

/// Returns how many of the prefix tokens have positions. FlexiViT, DeiT III and timm's newer
/// networks only have positions for patches, as the number of entries shows.
int placedPrefix(int entries, const VitConfiguration& sizes) {
  if (sizes.names.addsRegistersLater) return sizes.classToken + sizes.distillationToken;
  // CLIP's class token has a position, whether its blocks have layer scales or not.
  const bool isScaled = !sizes.names.block.scale1.empty() && !sizes.names.hasFlatTokens;
  const bool mayBeNone = sizes.registers > 0 || isScaled || isFlexiVit(entries, sizes.patch);
  const int all = sizes.prefixTokens();
  return mayBeNone && arePatchesAlone(entries, all) ? 0 : all;
}

void readPositions(const ShapeReader& shapes, VitConfiguration& sizes) {
  if (sizes.names.positions.empty()) {
    sizes.prefixPositions = sizes.positions = 0;
    return;
  }
  const auto entries = positionEntries(shapes, sizes.names);
  sizes.prefixPositions = entries ? placedPrefix(*entries, sizes) : sizes.prefixTokens();
  if (entries) sizes.positions = *entries - sizes.prefixPositions;
  sizes.positions = shapes.require(sizes.positions, "its positions");
}

/// Reads the side of the grid that tables of relative positions fit: (2 side - 1)^2 + 3 entries.
void readRelativePositions(const ShapeReader& shapes, VitConfiguration& sizes) {
  const VitNames& names = sizes.names;
  if (names.block.positionBias.empty() && names.sharedPositionBias.empty()) return;
  const std::string table = names.sharedPositionBias.empty()
                                ? names.blocks.front() + "." + names.block.positionBias
                                : names.sharedPositionBias;
  const int entries = shapes.require(shapes.size({table}, 0), "its relative positions");
  const int width = squareSide(entries - 3);
  if (width % 2 == 0) {
    throw ModelError("a table of " + std::to_string(entries) +
                     " relative positions fits no square grid; the file may be damaged");
  }
  sizes.biasSide = (width + 1) / 2;
}

void readMlp(const ShapeReader& shapes, VitConfiguration& sizes) {
  const VitBlockNames& names = sizes.names.block;
  const std::string block = sizes.names.blocks.front() + ".";
  auto hidden = shapes.size({block + names.contract + ".weight"}, 1);
  if (!hidden) {
    hidden = shapes.size({block + names.expand + ".weight", block + names.expand + ".bias"}, 0);
  }
  sizes.hidden = hidden.value_or(4 * sizes.channels);
  sizes.isGated = !names.gate.empty() || isPackedGate(shapes, block, names);
  if (sizes.isGated) sizes.activation = VitActivation::Silu;
}

/// Reads the head. One of twice the width uses the class token beside the mean of the patches.
void readHead(const ShapeReader& shapes, VitConfiguration& sizes) {
  const VitNames& names = sizes.names;
  const std::string other = names.distillationHead.empty() ? names.head : names.distillationHead;
  if (!names.head.empty()) {
    sizes.classes = shapes
                        .size({names.head + ".weight", names.head + ".bias", other + ".weight",
                               other + ".bias"},
                              0)
                        .value_or(0);
  }
  if (!names.headHidden.empty()) {
    sizes.headHidden =
        shapes.require(shapes.size({names.headHidden + ".weight", names.headHidden + ".bias"}, 0),
                       "the width of " + names.headHidden);
  }
  const int seen = sizes.headHidden > 0
                       ? sizes.channels
                       : shapes.size({names.head + ".weight"}, 1).value_or(sizes.channels);
  if (!names.pool.layer.empty()) {
    sizes.pooling = VitPooling::Attention;
    sizes.poolHidden = shapes.size({names.pool.expand + ".weight", names.pool.expand + ".bias"}, 0)
                           .value_or(4 * sizes.channels);
  } else if (seen == 2 * sizes.channels) {
    sizes.pooling = VitPooling::Both;
  } else if (!sizes.classToken || !names.poolingNorm.empty()) {
    sizes.pooling = VitPooling::Patches;
  }
  if (!names.featureProjection.empty()) {
    sizes.featureWidth = shapes.size({names.featureProjection + ".weight"}, 0).value_or(0);
  } else if (!names.featureMatrix.empty()) {
    sizes.featureWidth = shapes.size({names.featureMatrix}, 1).value_or(0);
  }
}

/// Returns the side of a patch: of the convolution's filters, or of the pixels of a product.
int readPatch(const ShapeReader& shapes, const std::string& embedding) {
  constexpr int usual = 16;
  const std::string weight = embedding + ".weight";
  if (const auto side = shapes.size({weight}, 2)) return std::max(1, *side);
  return std::max(1, squareSide(shapes.size({weight}, 1).value_or(3 * usual * usual) / 3));
}

/// Returns the channels of the pictures. Throws ModelError for patches of several frames.
int readPictureChannels(const ShapeReader& shapes, const std::string& embedding) {
  const std::string weight = embedding + ".weight";
  constexpr int dimensions = 4;
  if (shapes.size({weight}, dimensions)) {
    throw ModelError("its patches, " + quotedText(weight) +
                     ", are of several frames, as in a network for video, which Softscope does not "
                     "open; " +
                     recordingAdvice());
  }
  constexpr int usual = 3;
  constexpr int most = 16;
  const bool isConvolution = shapes.size({weight}, dimensions - 1).has_value();
  const int channels = isConvolution ? shapes.size({weight}, 1).value_or(usual) : usual;
  return channels >= 1 && channels <= most ? channels : usual;
}

/// Lists the projections of which no block has a bias. Queries, keys and values have biases all or
/// none, and the others always, unless the layout says that biases vary.
void readBiases(const StateDict& state, VitConfiguration& sizes) {
  const VitBlockNames& names = sizes.names.block;
  const auto hasNone = [&](const std::string& projection) {
    const std::string ending = "." + projection + (projection.ends_with('_') ? "bias" : ".bias");
    return std::none_of(sizes.names.blocks.begin(), sizes.names.blocks.end(),
                        [&](const auto& block) { return state.contains(block + ending); });
  };
  if (!sizes.names.biasesVary) {
    if (!hasNone(names.queryKeyValue.empty() ? names.query : names.queryKeyValue)) return;
    sizes.unbiased = {names.queryKeyValue, names.query, names.key, names.value};
    return;
  }
  for (const std::string& projection :
       {names.queryKeyValue, names.query, names.key, names.value, names.projection, names.expand,
        names.gate, names.contract}) {
    if (!projection.empty() && hasNone(projection)) sizes.unbiased.push_back(projection);
  }
}

}  // namespace

std::optional<VitFact> resizeOfPretraining(const std::string& part) {
  if (part == "masked_embed" || part.find("head.last_layer") != std::string::npos) {
    return VitFact{"offset", "as in DINO, iBOT and Mugs, whose projection or mask is in the file"};
  }
  if (part.ends_with("fc.bn1.running_mean")) {
    return VitFact{"plain", "as in MSN, whose projection is in the file"};
  }
  return std::nullopt;
}

std::vector<std::string> withPartsOfPretraining(std::vector<std::string> others) {
  constexpr const char* parts[] = {
      "*mask_token", "masked_embed",      // hides patches
      "decoder.*",   "decoder_*",         // fills in what is hidden
      "head.mlp.*",  "head.last_layer*",  // DINO's and iBOT's projections, no classifier
      "fc.fc?.*",    "fc.bn?.*",          // MSN's projection
      "pooler.*",    "*.pooler.*"};       // of the class token, if the head does not use it
  others.insert(others.end(), std::begin(parts), std::end(parts));
  return others;
}

bool arePatchesAlone(int entries, int prefixTokens) {
  return squareSide(entries) > 0 && squareSide(entries - prefixTokens) == 0;
}

bool isFlexiVit(int entries, int patch) {
  return entries == 225 && patch == 16;
}

void leaveGreyToStructure(VitConfiguration& configuration) {
  const VitNames& names = configuration.names;
  const bool isCopied = names.library.empty() || names.block.queryKeyValue.ends_with('_');
  const bool isReadable = isCopied && !configuration.isGated && names.pool.layer.empty() &&
                          names.normBefore.empty() && names.block.mlpNorm.empty() &&
                          !configuration.distillationToken;
  if (isReadable) configuration.pictureChannels = 3;
}

std::vector<std::string> numberedBlocks(const ShapeReader& shapes, const std::string& list) {
  std::vector<std::string> paths;
  const int count = shapes.count(list);
  for (int index = 0; index < count; ++index) paths.push_back(list + std::to_string(index));
  return paths;
}

VitConfiguration readVitConfiguration(const StateDict& state, VitNames names,
                                      const std::string& network) {
  const ShapeReader shapes(state, network);
  VitConfiguration sizes;
  shapes.require(static_cast<int>(names.blocks.size()), "its blocks");
  sizes.names = std::move(names);
  const VitNames& in = sizes.names;
  auto channels =
      shapes.size({in.embedding + ".weight", in.embedding + ".bias", in.norm + ".weight"}, 0);
  if (!channels) channels = shapes.size({in.classToken, in.positions}, in.hasFlatTokens ? 0 : 2);
  sizes.channels = shapes.require(channels, "its width");
  sizes.patch = readPatch(shapes, in.embedding);
  sizes.pictureChannels = readPictureChannels(shapes, in.embedding);
  readPrefix(shapes, state, sizes);
  readPositions(shapes, sizes);
  readRelativePositions(shapes, sizes);
  readMlp(shapes, sizes);
  readHead(shapes, sizes);
  // A layer norm before the blocks makes the embedding's bias redundant.
  sizes.embeddingBias = in.normBefore.empty() || state.contains(in.embedding + ".bias");
  readBiases(state, sizes);
  sizes.hasDecoder = shapes.any("decoder_") || shapes.any("decoder.");
  for (const StateDict::Entry& entry : state.entries()) {
    if (!sizes.facts.resize) sizes.facts.resize = resizeOfPretraining(entry.name);
  }
  return sizes;
}

}  // namespace softscope
