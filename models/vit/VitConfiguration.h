#pragma once

#include "models/attention/SimaAttention.h"
#include "models/vit/PositionTable.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The names of a block's parts within the block; empty if a layout lacks the part.
struct VitBlockNames {
  /// The common path of queries, keys, values and the output projection.
  std::string attention;
  std::string norm1;
  /// One projection to queries, keys and values together, or one to each.
  std::string queryKeyValue;
  std::string query, key, value;
  std::string projection;
  std::string scale1;
  std::string norm2;
  /// The mlp's first product; for a gated mlp, both halves, or one half beside `gate`.
  std::string expand;
  std::string gate;
  std::string contract;
  std::string scale2;
};

/// The names of a plain vision transformer's parts in a file, as dotted paths: timm, Facebook and
/// Hugging Face store the same network under different names.
struct VitNames {
  /// The library that uses the names, `Hugging Face's`, if no one else writes other networks under
  /// them; otherwise empty.
  std::string library;
  std::string classToken;
  std::string distillationToken;
  std::string registers;
  std::string positions;
  /// True if registers are inserted after the class token once positions are added, as in DINOv2.
  bool addsRegistersLater = false;
  std::string embedding;
  std::string normBefore;           ///< norm of the tokens before the first block
  std::vector<std::string> blocks;  ///< in the order they run
  VitBlockNames block;
  std::string norm;
  std::string poolingNorm;    ///< norm of the mean of the patches, instead of `norm`
  std::string attentionPool;  ///< pools the patches by attention before the head
  std::string head;
  std::string distillationHead;
};

/// The activation between the two products of a block's mlp. Swiglu is silu(a) * b for the two
/// halves of the first product.
enum class VitActivation { Gelu, TanhGelu, QuickGelu, Relu, Silu, Swiglu };

/// The input of a vision transformer's head.
enum class VitPooling {
  ClassToken,
  Patches,    ///< mean of the patches
  Both,       ///< the class token, followed by the mean of the patches
  Attention,  ///< the result of an AttentionPool over the patches
};

/// A plain vision transformer: patches, tokens before them, blocks of attention and mlp.
struct VitConfiguration {
  VitNames names;
  int channels = 0;
  int heads = 0;
  int hidden = 0;
  int patch = 16;
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
  /// How many of them have an entry in the position table; the others are inserted after these once
  /// the positions are added.
  int prefixPositions = 1;
  /// Number of entries in the position table without those of the prefix tokens.
  int positions = 196;
  PositionResize resize = PositionResize::Antialiased;
  /// Number of classes; 0 for a backbone without a head.
  int classes = 0;
  VitPooling pooling = VitPooling::ClassToken;
  int poolHidden = 0;  ///< inside the attention pool's mlp
  bool embeddingBias = true;
  bool queryKeyValueBias = true;
  double epsilon = 1e-6;
  /// True if the norms of a block follow its sums, as in the first transformers, instead of
  /// preceding attention and mlp.
  bool normsAfter = false;
  VitActivation activation = VitActivation::Gelu;
  /// The norm of SimA's attention; empty for softmax(Q K^T / sqrt(d)) V.
  std::optional<SimaNorm> sima;
};

}  // namespace softscope
