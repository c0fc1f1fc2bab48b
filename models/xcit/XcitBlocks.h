#pragma once

#include "models/layers/Layers.h"
#include "models/xcit/XcitAttention.h"

#include <optional>
#include <string>

namespace softscope {

/// Sizes of an XCiT backbone, which SimA shares. Names and shapes determine all of them except
/// SimA's heads, the activation, what the head sees and what class attention normalises.
struct XcitConfiguration {
  int channels = 0;
  int heads = 0;
  int depth = 0;
  /// Number of class-attention blocks; 0 in a detector's backbone, which has neither class token
  /// nor head.
  int classBlocks = 2;
  /// Hidden widths of the two kinds of block.
  int hidden = 0;
  int classHidden = 0;
  /// Number of convolutions of stride 2 before the blocks: 4 for patches of 16 pixels, 3 for 8.
  int stemConvolutions = 4;
  int classes = 0;
  bool queryBias = true;
  /// True if blocks have `local_mp`, a convolution between neighbouring patches.
  bool localInteraction = true;
  Activation activation = Activation::Gelu;
  XcitMechanism mechanism = XcitMechanism::Channel;
  /// True for timm's names: `pos_embed.token_projection`, and one projection to each of the class
  /// attention's queries, keys and values.
  bool hasTimmNames = false;
  /// True if the head sees the mean of the patches instead of the class token.
  bool poolsPatches = false;
  /// False if positions are not added to the patches; the weights of their codes are in the file
  /// all the same.
  bool addsPositions = true;
  /// True if class attention normalises all tokens before its mlp, false if the class token alone,
  /// as far as something outside the weights tells.
  std::optional<bool> isToldToNormaliseAll;
  /// Returns isToldToNormaliseAll; without it, false for the 128 channels of XCiT-Nano, the only
  /// published network that normalises the class token alone.
  bool normalisesAllTokens() const { return isToldToNormaliseAll.value_or(channels != 128); }

  int patch() const { return 1 << stemConvolutions; }
};

/// `mlp`: fc2(activation(fc1(x))).
class XcitMlpImpl : public torch::nn::Module {
 public:
  XcitMlpImpl(int channels, int hidden, Activation activation);
  torch::Tensor forward(const torch::Tensor& x) const;

 private:
  Activation activation_;
  Linear expand_{nullptr};
  Linear contract_{nullptr};
};
TORCH_MODULE(XcitMlp);

/// `local_mp`: depthwise 3x3 convolution, activation, norm and depthwise convolution on the map of
/// the tokens.
class XcitLocalInteractionImpl : public torch::nn::Module {
 public:
  XcitLocalInteractionImpl(int channels, Activation activation);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid);

 private:
  Activation activation_;
  Convolution first_{nullptr};
  BatchNorm norm_{nullptr};
  Convolution second_{nullptr};
};
TORCH_MODULE(XcitLocalInteraction);

/// A token block with the path `name`: x += gamma1 attn(norm1(x)); x += gamma3 local_mp(norm3(x));
/// x += gamma2 mlp(norm2(x)).
class XcitBlockImpl : public torch::nn::Module {
 public:
  XcitBlockImpl(const XcitConfiguration& configuration, const std::string& name);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);

 private:
  XcitAttention attention_{nullptr};
  XcitLocalInteraction local_{nullptr};
  XcitMlp mlp_{nullptr};
  LayerNorm norm1_{nullptr};
  LayerNorm norm2_{nullptr};
  LayerNorm norm3_{nullptr};
  torch::Tensor gamma1_;
  torch::Tensor gamma2_;
  torch::Tensor gamma3_;
};
TORCH_MODULE(XcitBlock);

/// A class-attention block on [B, 1 + n, channels], with the class token first.
class XcitClassBlockImpl : public torch::nn::Module {
 public:
  XcitClassBlockImpl(const XcitConfiguration& configuration, const std::string& name);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);

 private:
  bool normalisesAllTokens_;
  XcitClassAttention attention_{nullptr};
  XcitMlp mlp_{nullptr};
  LayerNorm norm1_{nullptr};
  LayerNorm norm2_{nullptr};
  torch::Tensor gamma1_;
  torch::Tensor gamma2_;
};
TORCH_MODULE(XcitClassBlock);

}  // namespace softscope
