#pragma once

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

}  // namespace softscope
