#pragma once

#include "core/checkpoint/StateDict.h"

#include <string>

namespace softscope {

/// What a file calls the parts of a CvT: Microsoft's names, or Hugging Face's.
struct CvtNames {
  std::string stage = "stage";  ///< with the stage's number behind it
  // Below a stage.
  std::string embedding = "patch_embed.proj";
  std::string embeddingNorm = "patch_embed.norm";
  std::string blocks = "blocks";
  // Below a block.
  std::string norm1 = "norm1";
  std::string attention = "attn";
  std::string norm2 = "norm2";
  std::string expand = "mlp.fc1";
  std::string contract = "mlp.fc2";
  // Below the attention.
  std::string queryConvolution = "conv_proj_q";
  std::string keyConvolution = "conv_proj_k";
  std::string valueConvolution = "conv_proj_v";
  std::string query = "proj_q";
  std::string key = "proj_k";
  std::string value = "proj_v";
  std::string projection = "proj";
  // Below a convolution before a projection.
  std::string convolution = "conv";
  std::string convolutionNorm = "bn";
  // Of the network.
  std::string norm = "norm";
  std::string head = "head";

  bool isHuggingFace() const { return stage != "stage"; }
  /// `stage1.blocks.0.attn`
  std::string layer(int stageIndex, int block) const {
    return stage + std::to_string(stageIndex) + "." + blocks + "." + std::to_string(block) + "." +
           attention;
  }
};

/// The names that a state dict has.
CvtNames cvtNamesOf(const StateDict& state);

}  // namespace softscope
