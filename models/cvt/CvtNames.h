#pragma once

#include "core/checkpoint/StateDict.h"

#include <string>

namespace softscope {

/// The names of a CvT's parts in a file: Microsoft's or Hugging Face's.
struct CvtNames {
  std::string stage = "stage";  ///< followed by the stage's number
  // Names within a stage.
  std::string embedding = "patch_embed.proj";
  std::string embeddingNorm = "patch_embed.norm";
  std::string blocks = "blocks";
  // Names within a block.
  std::string norm1 = "norm1";
  std::string attention = "attn";
  std::string norm2 = "norm2";
  std::string expand = "mlp.fc1";
  std::string contract = "mlp.fc2";
  // Names within the attention.
  std::string queryConvolution = "conv_proj_q";
  std::string keyConvolution = "conv_proj_k";
  std::string valueConvolution = "conv_proj_v";
  std::string query = "proj_q";
  std::string key = "proj_k";
  std::string value = "proj_v";
  std::string projection = "proj";
  // Names within a convolution before a projection.
  std::string convolution = "conv";
  std::string convolutionNorm = "bn";
  // Names of the whole network.
  std::string norm = "norm";
  std::string head = "head";

  bool isHuggingFace() const { return stage != "stage"; }
  /// Returns the path of an attention layer: `stage1.blocks.0.attn`.
  std::string layer(int stageIndex, int block) const {
    return stage + std::to_string(stageIndex) + "." + blocks + "." + std::to_string(block) + "." +
           attention;
  }
};

/// Returns the names that a state dict uses.
CvtNames cvtNamesOf(const StateDict& state);

}  // namespace softscope
