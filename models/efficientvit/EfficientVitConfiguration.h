#pragma once

#include "core/checkpoint/StateDict.h"
#include "models/layers/MapPooling.h"

#include <cstddef>
#include <string>
#include <vector>

namespace softscope {

/// The kind of a block; each kind names its convolutions differently.
enum class EfficientVitBlockKind {
  Residual,   ///< `conv1`, `conv2`
  Separable,  ///< `depth_conv`, `point_conv`
  Fused,      ///< `spatial_conv`, `point_conv`
  Inverted,   ///< `inverted_conv`, `depth_conv`, `point_conv`
  Attention,  ///< `context_module`, and an inverted block `local_module`
};

struct EfficientVitBlockConfiguration {
  EfficientVitBlockKind kind = EfficientVitBlockKind::Inverted;
  int hidden = 0;  ///< channels inside the block
  /// True if the convolutions before the last have a bias instead of a norm.
  bool biases = false;
};

struct EfficientVitStageConfiguration {
  int channels = 0;
  std::vector<EfficientVitBlockConfiguration> blocks;

  bool hasAttention() const;
};

/// The paths of a network's parts among its parameters.
struct EfficientVitNames {
  /// True for timm's names, false for the authors'.
  bool timm = false;
  /// True for an L model, whose stem the authors count as a stage.
  bool large = false;
  /// The prefix of the authors' stem and stages: `backbone.`, or nothing in a backbone saved alone.
  std::string backbone = "backbone.";

  std::string stem() const;
  std::string stemBlock(std::size_t index) const;
  /// Returns the path in front of the blocks' numbers: `backbone.stages.2.op_list.`.
  std::string blocks(std::size_t stage) const;
  std::string stemBlocks() const;
  std::string headConvolution() const;
  std::string headLinear() const;
  std::string headNorm() const;
  std::string classifier() const;
};

/// Sizes of an EfficientViT, which names and shapes determine, and what its head sees.
struct EfficientVitConfiguration {
  EfficientVitNames names;
  int stemChannels = 0;
  std::vector<EfficientVitBlockConfiguration> stemBlocks;
  std::vector<EfficientVitStageConfiguration> stages;
  /// Channels of a head, d.
  int headWidth = 0;
  /// Channels inside the head's convolution and linear layer; 0 for a backbone without a head.
  int headHidden = 0;
  int headFeatures = 0;
  int classes = 0;
  MapPooling pooling = MapPooling::Mean;

  /// Returns the number of heads: half use their own queries, keys and values, half the aggregated
  /// ones.
  int heads(const EfficientVitStageConfiguration& stage) const {
    return 2 * stage.channels / headWidth;
  }
};

/// Returns true if the names in a state dict are those of EfficientViT.
bool isEfficientVit(const StateDict& state);

/// Reads the sizes. Throws ModelError if names and shapes do not determine one of them.
EfficientVitConfiguration readEfficientVitConfiguration(const StateDict& state);

/// Returns the published name, `efficientvit_b1`, or `custom`.
std::string efficientVitVariant(const EfficientVitConfiguration& configuration);

}  // namespace softscope
