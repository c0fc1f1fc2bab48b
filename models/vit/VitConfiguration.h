#pragma once

#include "models/attention/SimaAttention.h"
#include "models/vit/VitNames.h"
#include "models/vit/VitPositions.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The activation between the two products of a block's mlp.
enum class VitActivation { Gelu, TanhGelu, QuickGelu, Relu, Silu };

/// The input of a vision transformer's head.
enum class VitPooling {
  ClassToken,      ///< or the first patch, without one
  Patches,         ///< mean of the patches, or of all tokens (`poolsPrefix`)
  Largest,         ///< largest values of these
  MeanAndLargest,  ///< half of the mean and half of the largest values of these
  Both,            ///< the class token, followed by the mean of the patches
  Attention,       ///< the result of an AttentionPool over these
};

/// A value that a family knows besides the weights, and its source.
struct VitFact {
  std::string value;   ///< as its option takes it
  std::string source;  ///< text after the value; why nothing determines it if it is not certain
  bool isCertain = true;
};

/// The settings that a family knows of its networks; empty members are decided by published sizes
/// and names.
struct VitFacts {
  std::optional<VitFact> activation;
  std::optional<VitFact> epsilon;
  std::optional<VitFact> norm;
  std::optional<VitFact> pooling;
  /// The input of the head, as `--pooling` calls it, in Hugging Face's own classifiers of such a
  /// network. Classifiers that others put around the network have the same names.
  std::string libraryPooling = {};
  std::optional<VitFact> finalNorm;
  /// How positions are resized, as `--position-resize` calls it.
  std::optional<VitFact> resize;
};

/// A plain vision transformer: patches, tokens before them, blocks of attention and mlp.
struct VitConfiguration {
  VitNames names;
  VitFacts facts;
  int channels = 0;
  int heads = 0;
  int hidden = 0;  ///< of one half, if the mlp is gated
  int patch = 16;
  int pictureChannels = 3;
  /// Tokens before the patches: class token, distillation token, registers, in this order.
  bool classToken = true;
  bool distillationToken = false;
  int registers = 0;
  int prefixTokens() const { return classToken + distillationToken + registers; }
  /// Returns `class token`, `distillation token`, `register 1`.
  std::vector<std::string> prefixNames() const {
    std::vector<std::string> called;
    if (classToken) called.push_back("class token");
    if (distillationToken) called.push_back("distillation token");
    for (int i = 1; i <= registers; ++i) called.push_back("register " + std::to_string(i));
    return called;
  }
  /// Number of prefix tokens that have an entry in the position table. The other prefix tokens are
  /// inserted after these once the positions are added.
  int prefixPositions = 1;
  /// Number of entries in the position table without those of the prefix tokens; 0 without a table.
  int positions = 196;
  /// The only grid of patches that the table is added to. 0 x 0 if nothing but the number of its
  /// entries tells the grid, from which it may be resized.
  TokenGrid onlyGrid;
  /// True if the network takes any table whose entries form a square for that of a square grid,
  /// whatever its pictures are, as DINOv2 does.
  bool takesTablesForSquares = false;
  PositionResize resize = PositionResize::Antialiased;
  /// The rotation of the patches' queries and keys.
  RotaryPositions rotary;
  /// Side of the only grid that tables of relative positions fit; 0 if there are none.
  int biasSide = 0;
  /// Number of classes; 0 for a backbone without a head.
  int classes = 0;
  /// True if the file holds the decoder of a masked autoencoder, which is left out.
  bool hasDecoder = false;
  VitPooling pooling = VitPooling::ClassToken;
  /// True if the code whose names these are lets a pool, a mean or largest values be of the tokens
  /// before the patches as well.
  bool mayPoolPrefix = false;
  bool poolsPrefix = false;  ///< True if they are.
  /// Number of tokens before those that are pooled.
  int unpooledTokens() const { return poolsPrefix ? 0 : prefixTokens(); }
  int headHidden = 0;    ///< channels behind the product in front of the head; 0 without one
  int poolHidden = 0;    ///< inside the attention pool's mlp
  int featureWidth = 0;  ///< of CLIP's shared space; 0 without a projection to it
  /// True if the norm behind the blocks acts on what is projected to that space, not on tokens.
  bool normsPooled = false;
  bool embeddingBias = true;
  /// True if the embedding is a product with the pixels of a patch, row by row with the channel
  /// last, rather than a convolution.
  bool isLinearEmbedding = false;
  /// Names within a block of the projections that have no bias.
  std::vector<std::string> unbiased;
  bool hasBias(const std::string& projection) const {
    return std::find(unbiased.begin(), unbiased.end(), projection) == unbiased.end();
  }
  bool hasQueryBias() const {
    return hasBias(names.block.queryKeyValue.empty() ? names.block.query
                                                     : names.block.queryKeyValue);
  }
  /// True if the products of queries and keys are divided by the root of the tokens' width, not
  /// by that of a head's.
  bool scalesByWidth = false;
  double epsilon = 1e-6;
  double headNormEpsilon = 1e-6;  ///< of the batch norm in front of the head
  /// True if the norms of a block follow its sums, as in the first transformers, instead of
  /// preceding attention and mlp.
  bool normsAfter = false;
  VitActivation activation = VitActivation::Gelu;
  /// True if the mlp multiplies activation(a) by b, the two halves of its first product.
  bool isGated = false;
  /// True if the activation acts on the second half instead.
  bool isGateLast = false;
  /// The norm of SimA's attention; empty for softmax(Q K^T / sqrt(d)) V.
  std::optional<SimaNorm> sima;

  /// Returns the mechanism of the blocks: `softmax`, or `softmax_relative` with relative positions.
  std::string mechanism() const {
    if (sima) return mechanismName(*sima);
    return biasSide > 0 ? "softmax_relative" : "softmax";
  }
};

}  // namespace softscope
