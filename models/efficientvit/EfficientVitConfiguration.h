#pragma once

#include "core/checkpoint/StateDict.h"

#include <cstddef>
#include <string>
#include <vector>

namespace softscope {

/// What a block is made of; each kind has convolutions of other names.
enum class EfficientVitBlockKind {
  Residual,   ///< `conv1`, `conv2`
  Separable,  ///< `depth_conv`, `point_conv`
  Fused,      ///< `spatial_conv`, `point_conv`
  Inverted,   ///< `inverted_conv`, `depth_conv`, `point_conv`
  Attention,  ///< `context_module`, and an inverted block `local_module`
};

struct EfficientVitBlockConfiguration {
  EfficientVitBlockKind kind = EfficientVitBlockKind::Inverted;
  int hidden = 0;  ///< channels within
  /// The convolutions before the last have a bias in place of a norm.
  bool biases = false;
};

struct EfficientVitStageConfiguration {
  int channels = 0;
  std::vector<EfficientVitBlockConfiguration> blocks;

  bool hasAttention() const;
};

/// Where a network's parts stand among its parameters.
struct EfficientVitNames {
  /// timm's names, not the authors'.
  bool timm = false;
  /// An L model, whose stem the authors count as a stage.
  bool large = false;

  std::string stem() const;
  std::string stemBlock(std::size_t index) const;
  /// What the blocks' numbers follow: `backbone.stages.2.op_list.`.
  std::string blocks(std::size_t stage) const;
  std::string stemBlocks() const;
  std::string headConvolution() const;
  std::string headLinear() const;
  std::string headNorm() const;
  std::string classifier() const;
};

/// Sizes of an EfficientViT; names and shapes tell all of them.
struct EfficientVitConfiguration {
  EfficientVitNames names;
  int stemChannels = 0;
  std::vector<EfficientVitBlockConfiguration> stemBlocks;
  std::vector<EfficientVitStageConfiguration> stages;
  /// Channels of a head, d.
  int headWidth = 0;
  /// Of the head's convolution and linear layer; 0 for a backbone without them.
  int headHidden = 0;
  int headFeatures = 0;
  int classes = 0;

  /// As many with their own queries, keys and values as with aggregated ones.
  int heads(const EfficientVitStageConfiguration& stage) const {
    return 2 * stage.channels / headWidth;
  }
};

/// Whether names in a state dict are those of EfficientViT.
bool isEfficientVit(const StateDict& state);

/// Throws ModelError where names or shapes do not tell a size.
EfficientVitConfiguration readEfficientVitConfiguration(const StateDict& state);

/// `efficientvit_b1`, or `custom`.
std::string efficientVitVariant(const EfficientVitConfiguration& configuration);

}  // namespace softscope
