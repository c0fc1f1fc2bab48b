#pragma once

#include "core/checkpoint/StateDict.h"

#include <string>

namespace softscope {

/// The names of a PVTv2's parts in a file: the authors', timm's or Hugging Face's.
struct PvtNames {
  enum class Library { Authors, Timm, HuggingFace };
  Library library = Library::Authors;
  std::string stages;  ///< what precedes a stage's number: `stages.`, `block`
  // Names within a block.
  std::string norm1 = "norm1";
  std::string attention = "attn";
  std::string query = "attn.q";
  std::string keyValue = "attn.kv";  ///< empty if there is one projection to each
  std::string key, value;
  std::string reduction = "attn.sr";
  std::string reductionNorm = "attn.norm";
  std::string projection = "attn.proj";
  std::string norm2 = "norm2";
  std::string expand = "mlp.fc1";
  std::string depthwise = "mlp.dwconv.dwconv";
  std::string contract = "mlp.fc2";
  std::string head = "head";

  // Paths in a stage, counted from 0.
  std::string embedding(int stage) const;
  std::string embeddingNorm(int stage) const;
  /// Returns what precedes a block's number: `stages.0.blocks.`.
  std::string blocks(int stage) const;
  std::string norm(int stage) const;
};

/// Returns true if a state dict has any of these libraries' names for a PVTv2.
bool hasPvtNames(const StateDict& state);
/// Returns the names that a state dict uses.
PvtNames pvtNamesOf(const StateDict& state);

}  // namespace softscope
