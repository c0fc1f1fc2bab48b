#pragma once

#include "core/checkpoint/StateDict.h"

#include <optional>
#include <string>

namespace softscope {

/// The names of a Swin Transformer's parts in a file: the authors', timm's, torchvision's or
/// Hugging Face's. The libraries differ in how they pad and shift as well.
struct SwinNames {
  enum class Library { Authors, Timm, Torchvision, HuggingFace };
  Library library = Library::Authors;
  std::string prefix;     ///< what precedes the network's own names: `swin.`
  std::string embedding;  ///< path of the patch embedding, and of its norm
  std::string embeddingNorm;
  std::string positions;  ///< path of absolute positions, which few networks have
  // Names within a block.
  std::string norm1 = "norm1";
  std::string attention = "attn";
  std::string queryKeyValue = "attn.qkv";  ///< empty if there is one projection to each
  std::string query, key, value;
  std::string queryBias, valueBias;  ///< biases apart from their weights, in Swin V2
  std::string table = "attn.relative_position_bias_table";
  std::string index = "attn.relative_position_index";
  std::string scale = "attn.logit_scale";
  std::string coordinates = "attn.relative_coords_table";
  std::string positionMlp = "attn.cpb_mlp";
  std::string projection = "attn.proj";
  std::string norm2 = "norm2";
  std::string expand = "mlp.fc1";
  std::string contract = "mlp.fc2";
  std::string norm = "norm";
  std::string head = "head";

  /// Returns the part of a block's path that precedes the block's number, such as
  /// `layers.0.blocks.` for stage 0. Stages are counted from 0.
  std::string blocks(int stage) const;
  /// Returns the path of the merging of patches before a stage, counted from 0.
  std::string merging(int stage) const;
};

/// Returns the names that a state dict uses; nothing if it is of no Swin Transformer for pictures.
std::optional<SwinNames> swinNamesOf(const StateDict& state);

}  // namespace softscope
