#pragma once

#include <string>
#include <vector>

namespace softscope {

/// The names of a block's parts within the block; empty if a layout lacks the part. A name that
/// ends in `_` is followed by `weight` and `bias` without a dot: `in_proj_`.
struct VitBlockNames {
  /// The common path of queries, keys, values and the output projection.
  std::string attention;
  std::string norm1;
  /// One projection to queries, keys and values together, or one to each.
  std::string queryKeyValue;
  std::string query, key, value;
  /// Biases of queries and of values beside `queryKeyValue`; keys then have none.
  std::string queryBias, valueBias;
  std::string biasMask;       ///< multiplies the bias of `queryKeyValue`
  std::string positionBias;   ///< table of relative positions, whose entries are added to scores
  std::string attentionNorm;  ///< norm of the joined heads
  std::string projection;
  std::string scale1;
  std::string norm2;
  /// The mlp's first product; for a gated mlp, both halves, or one half beside `gate`.
  std::string expand;
  std::string gate;
  std::string mlpNorm;  ///< norm of the mlp's hidden layer
  std::string contract;
  std::string scale2;
};

/// The names of a pool's parts, whose learned query attends to the tokens after the last block.
struct VitPoolNames {
  std::string layer;  ///< the attention's path, for the recorder; empty if there is no pool
  std::string latent;
  std::string queryKeyValue;  ///< one projection, or `query` and `keyValue`
  std::string query, keyValue;
  std::string projection;
  std::string norm;
  std::string expand, contract;
};

/// The names of a plain vision transformer's parts in a file, as dotted paths: every library stores
/// the same network under different names.
struct VitNames {
  /// The library that uses the names, `Hugging Face's`, if no one else writes other networks under
  /// them; otherwise empty.
  std::string library;
  std::string classToken;
  std::string distillationToken;
  std::string registers;
  std::string positions;  ///< empty if there is no table of positions
  /// True if the class token is [C] and the table [entries, C], without leading dimensions.
  bool hasFlatTokens = false;
  /// True if registers are inserted after the class token once positions are added, as in DINOv2.
  bool addsRegistersLater = false;
  std::string embedding;
  std::string rotaryPeriods;        ///< periods of the rotary embedding, if they are stored
  std::string sharedPositionBias;   ///< table of relative positions that all blocks share
  std::string normBefore;           ///< norm of the tokens before the first block
  std::vector<std::string> blocks;  ///< in the order they run
  VitBlockNames block;
  /// True if each projection may have or lack a bias, whether or not the others have one.
  bool biasesVary = false;
  /// True if a gated mlp's activation is the configured one; otherwise it is SiLU.
  bool configuresGate = false;
  std::string norm;
  std::string prefixNorm;   ///< norm of the tokens before the patches, instead of `norm`
  std::string poolingNorm;  ///< norm of what the head sees, instead of `norm`
  VitPoolNames pool;
  std::string head;
  std::string distillationHead;
  /// Projection of the class token to CLIP's shared space: a Linear, or a matrix [C, width].
  std::string featureProjection;
  std::string featureMatrix;
};

}  // namespace softscope
