#pragma once

#include "core/model/SettingOption.h"
#include "models/structure/BlockStructure.h"
#include "models/structure/PixelBuffers.h"
#include "models/structure/RepeatedBlocks.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Returns how many patches of `side` pixels begin `stride` apart within `pixels`.
inline std::int64_t patchesAlong(std::int64_t pixels, std::int64_t side, std::int64_t stride) {
  return pixels < side ? 0 : (pixels - side) / stride + 1;
}

/// How pictures become tokens.
struct PatchStructure {
  std::string weight;
  std::string bias;
  /// True for a product with a patch's pixels, false for a convolution.
  bool isProduct = false;
  std::int64_t pictureChannels = 3;
  bool areChannelsSaid = false;  ///< by config.json or metadata, of a product's patches
  /// True if a product's patches are taken for grey and as many values may be of four channels.
  bool mayHaveFourChannels = false;
  std::int64_t height = 0;
  std::int64_t width = 0;
  /// True if the product stands in a Sequential behind a layer without weights, which then
  /// rearranges pixels.
  bool followsRearrangement = false;
  std::optional<NormPart> normBefore;  ///< of a patch's pixels
  std::optional<NormPart> normAfter;   ///< of the tokens
  /// True if the norm of the tokens may as well act once positions are added, on all tokens.
  bool mayNormFollowPositions = false;
  /// Pixels from one patch to the next, and rows of zeros around the picture.
  std::int64_t strideDown = 0;
  std::int64_t strideAcross = 0;
  std::int64_t padding = 0;

  /// Returns how many patches lie along a picture's height or width.
  std::int64_t rowsOn(std::int64_t pictureHeight) const {
    return patchesAlong(pictureHeight + 2 * padding, height, strideDown);
  }
  std::int64_t columnsOn(std::int64_t pictureWidth) const {
    return patchesAlong(pictureWidth + 2 * padding, width, strideAcross);
  }
  /// True if patches lie side by side and cover the picture.
  bool tile() const { return strideDown == height && strideAcross == width && padding == 0; }
};

/// How far apart patches are, as far as the file tells.
struct StrideReading {
  std::string told;                    ///< evidence for the stride; empty if it is a guess
  std::string why;                     ///< why nothing tells it
  std::vector<std::int64_t> possible;  ///< strides down, the taken one first
  std::string paddingTold;             ///< evidence for the padding; empty if it is a guess
  std::vector<std::int64_t> possiblePaddings;
  /// True if the size and the number of patches contradict what metadata or config.json say.
  bool contradictsSaid = false;
};

/// A vision transformer that someone wrote: patches, tokens beside them, equal blocks, a head.
struct TransformerStructure {
  std::int64_t channels = 0;
  PatchStructure patches;
  std::optional<BareTensor> classToken;
  /// True if the name says that it is the class token.
  bool isClassTokenNamed = false;
  /// True if the name says that it is a token, of whatever use.
  bool isClassTokenCalledToken = false;
  std::optional<BareTensor> registers;
  std::int64_t registerCount = 0;
  /// True if registers stand behind the patches, as in vit-pytorch.
  bool registersLast = false;
  /// Names of tokens beside the class token that are left out: they stand for something missing, or
  /// someone says that they are not in the sequence.
  std::vector<std::string> leftOutTokens;
  /// Name of a vector that would be the class token if nobody said otherwise; empty if there is
  /// none.
  std::string leftOutVector;
  std::optional<BareTensor> positions;
  /// True if the table of positions has a column for each, [C, n] or [C, n, n], as its shape tells.
  bool arePositionsInColumns = false;
  /// True if the table of positions is laid out as a square of patches, and so holds theirs alone.
  bool arePositionsOfGrid = false;
  /// Rows of the position table, or of computed positions, in front of the patches': 0, 1 for the
  /// class token, or one for every token in front.
  std::int64_t prefixPositions = 0;
  /// The values that `prefixPositions` may have if nothing tells; otherwise empty.
  std::vector<std::int64_t> possiblePrefixPositions;
  /// True if the table of positions is as wide as it is long, so that it may have a column for each
  /// token.
  bool isTableSquare = false;
  /// The reason to doubt that the table is of positions at all; empty if the file tells.
  std::string positionsDoubt;
  /// True if the table of positions may go on beyond a picture's tokens, which then take its first
  /// rows.
  bool hasLongPositions = false;
  /// True if the code of the table's names adds its first rows to the tokens of smaller pictures,
  /// as vit-pytorch's does.
  bool cutsPositions = false;
  std::vector<std::string> blocks;
  /// Members of the list of blocks that have no tensors, before or between the blocks.
  std::vector<std::string> absentBlocks;
  BlockStructure block;
  std::optional<NormPart> norm;  ///< outside the blocks
  /// True if the file has `norm` in front of the blocks, or does not say where.
  bool mayNormPrecedeBlocks = false;
  /// True if `norm` stands in the module of the blocks, and therefore acts on tokens.
  bool isNormOfBlocks = false;
  /// True if `norm` stands in the module of the head, in no order that its name tells.
  bool isNormOfHead = false;
  std::optional<NormPart> poolingNorm;  ///< of the head's input
  std::vector<ProductPart> head;        ///< empty for a backbone
  /// Number of vectors of the tokens' width that the head takes side by side; 1 if it takes one.
  std::int64_t headTokens = 1;
  /// True if the head takes the patches alone side by side, without the other tokens.
  bool flattensPatches = false;
  /// The reason to doubt `flattensPatches`; empty if the file tells.
  std::string flattenDoubt;
  /// Number of patches and how they lie on the picture, if the file tells; 0 if it does not.
  std::int64_t patchRows = 0;
  std::int64_t patchColumns = 0;
  /// The reason to doubt `patchRows` and `patchColumns`; empty if the file tells them, or tells
  /// nothing of them.
  std::string gridDoubt;
  StrideReading stride;
  /// Tensors of no numbers, such as an absent class token.
  std::vector<BareTensor> empty;
  /// Names of buffers that number positions or count steps of training, which are left out.
  std::vector<std::string> indices;
  /// Buffers with which the network norms pixels.
  std::optional<PixelBuffers> pixels;
  /// Names of a masked autoencoder's decoder and mask token, which are left out.
  std::vector<std::string> ofDecoder;
  bool isMaskedAutoencoder = false;
  /// Names of a pooler's product that no head follows, which is left out.
  std::vector<std::string> ofPooler;
  /// Names of tensors that the file has a second time, or that layers were copied from, which are
  /// left out.
  std::vector<std::string> copies;
  /// True if the names are those of vit-pytorch's ViT or SimpleViT.
  bool isVitPytorch = false;

  std::int64_t patchCount() const { return patchRows * patchColumns; }
  /// Number of tokens that are no patches.
  std::int64_t otherTokens() const { return classToken.has_value() + registerCount; }
  /// True if tokens take the first rows of the table of positions, which is never resized.
  bool takesFirstPositions() const { return hasLongPositions || cutsPositions; }
  /// True if the head takes tokens side by side.
  bool isFlattened() const { return headTokens > 1; }
};

/// A picture's height and width in pixels, as something beside the weights says it.
struct SaidSize {
  std::int64_t height = 0;
  std::int64_t width = 0;
};

/// Facts about the patches and their positions that options, metadata or config.json give.
struct SaidGrid {
  std::optional<SaidSize> size;
  /// The size that the user chose for pictures, which need not be the network's own.
  std::optional<SaidSize> chosenSize;
  std::optional<std::int64_t> prefixPositions;
  /// A picture's channels, and the side of a square patch, if these are said.
  std::optional<std::int64_t> channels;
  std::optional<std::int64_t> patch;
  std::optional<PixelStride> stride;
  std::optional<std::int64_t> padding;
  /// Whether a head that takes tokens side by side takes the patches alone.
  std::optional<bool> flattensPatches;
  /// Whether tokens beside the class token are in the sequence, and whether a vector that is not
  /// called a class token is one.
  std::optional<bool> hasRegisters;
  std::optional<bool> hasClassToken;
  bool isStrideChosen = false;  ///< by the user's option, which counts whatever the file says
  bool isPaddingChosen = false;
};

/// Reads a transformer from names and shapes. Every tensor gets exactly one place. Throws a
/// ModelError that says which tensor has none, or what can be read in two ways.
TransformerStructure readTransformer(const StateDict& state, const SaidGrid& said);

/// Returns true if there are blocks that may be a transformer's: repeated units with matrices.
bool hasTransformerBlocks(const StateDict& state);

/// Describes the widest stack of blocks: `12 blocks of packed q, k, v, 768 wide, called
/// "backbone.stages"`; empty if there is none.
std::string stackText(const StateDict& state);

}  // namespace softscope
