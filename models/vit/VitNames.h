#pragma once

#include <string>
#include <vector>

namespace softscope {

/// What the parts of one block are called below the block; empty where a layout has no such part.
struct VitBlockNames {
  /// What queries, keys, values and the output projection have in common.
  std::string attention;
  std::string norm1;
  /// One projection to queries, keys and values, or one to each.
  std::string queryKeyValue;
  std::string query, key, value;
  std::string projection;
  std::string scale1;
  std::string norm2;
  /// The mlp's first product; where its rows are gated, both halves, or beside it `gate`.
  std::string expand;
  std::string gate;
  std::string contract;
  std::string scale2;
};

/// What a file calls the parts of a plain vision transformer, as dotted paths: timm, Facebook and
/// Hugging Face store the same network under different names.
struct VitNames {
  std::string classToken;
  std::string distillationToken;
  std::string registers;
  std::string positions;
  /// Whether registers are put behind the class token once positions are added, as DINOv2 does.
  bool addsRegistersLater = false;
  std::string embedding;
  std::string normBefore;           ///< of the tokens, before the first block
  std::vector<std::string> blocks;  ///< in the order they run
  VitBlockNames block;
  std::string norm;
  std::string poolingNorm;    ///< of the mean of the patches, in place of `norm`
  std::string attentionPool;  ///< what pools the patches by attention, before the head
  std::string head;
  std::string distillationHead;
};

}  // namespace softscope
