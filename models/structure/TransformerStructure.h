#pragma once

#include "models/structure/BlockStructure.h"
#include "models/structure/RepeatedBlocks.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// How pictures become tokens.
struct PatchStructure {
  std::string weight;
  std::string bias;
  /// True for a product with a patch's pixels, false for a convolution.
  bool isProduct = false;
  std::int64_t pictureChannels = 3;
  std::int64_t height = 0;
  std::int64_t width = 0;
  /// True if the product stands in a Sequential behind a layer without weights, which then
  /// rearranges pixels.
  bool followsRearrangement = false;
  std::optional<NormPart> normBefore;  ///< of a patch's pixels
  std::optional<NormPart> normAfter;   ///< of the tokens
};

/// A parameter that stands alone, with the shape it has in the file.
struct BareTensor {
  std::string name;
  std::vector<std::int64_t> shape;
};

/// A vision transformer that someone wrote: patches, tokens beside them, equal blocks, a head.
struct TransformerStructure {
  std::int64_t channels = 0;
  PatchStructure patches;
  std::optional<BareTensor> classToken;
  std::optional<BareTensor> registers;
  std::int64_t registerCount = 0;
  /// True if registers stand behind the patches, as in vit-pytorch.
  bool registersLast = false;
  std::optional<BareTensor> positions;
  /// Rows of the position table that belong to the class token: 0 or 1.
  std::int64_t classPositions = 0;
  std::vector<std::string> blocks;
  BlockStructure block;
  std::optional<NormPart> norm;         ///< of all tokens behind the blocks
  std::optional<NormPart> poolingNorm;  ///< of the head's input
  std::vector<ProductPart> head;        ///< empty for a backbone
  /// True if the head takes all tokens side by side.
  bool isFlattened = false;
  /// Number of patches and how they lie on the picture, if the file tells; 0 if it does not.
  std::int64_t patchRows = 0;
  std::int64_t patchColumns = 0;
  /// Tensors of no numbers, such as an absent class token.
  std::vector<BareTensor> empty;
  /// Names of a masked autoencoder's decoder and mask token, which are left out.
  std::vector<std::string> ofDecoder;
  bool isMaskedAutoencoder = false;
  /// True if the names are those of vit-pytorch's ViT or SimpleViT.
  bool isVitPytorch = false;

  std::int64_t patchCount() const { return patchRows * patchColumns; }
  std::int64_t prefixTokens() const { return classToken.has_value() + registersBefore(); }
  std::int64_t registersBefore() const { return registersLast ? 0 : registerCount; }
  std::int64_t suffixTokens() const { return registersLast ? registerCount : 0; }
};

/// A picture's height and width in pixels, as something beside the weights says it.
struct SaidSize {
  std::int64_t height = 0;
  std::int64_t width = 0;
};

/// Reads a transformer from names and shapes. Every tensor gets exactly one place. Throws a
/// ModelError that says which tensor has none, or what can be read in two ways.
TransformerStructure readTransformer(const StateDict& state, const std::optional<SaidSize>& size);

/// Returns true if there are blocks that may be a transformer's: repeated units with matrices.
bool hasTransformerBlocks(const StateDict& state);

/// Describes the widest stack of blocks: `12 blocks of packed q, k, v, 768 wide, called
/// "backbone.stages"`; empty if there is none.
std::string stackText(const StateDict& state);

}  // namespace softscope
