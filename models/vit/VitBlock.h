#pragma once

#include "core/network/Recorder.h"
#include "models/attention/MixedSoftmax.h"
#include "models/layers/Layers.h"
#include "models/vit/VitConfiguration.h"

#include <string>
#include <vector>

namespace softscope {

/// Returns activation(expand(x)).
torch::Tensor activated(const Linear& expand, const torch::Tensor& x, VitActivation activation);

/// Where a block's tokens lie on the picture, which all blocks share.
struct VitPlaces {
  TokenGrid grid;
  torch::Tensor angles = {};  ///< of RotaryPositions; or undefined
  /// The tokens' relative positions, if the network has tables for them; otherwise null.
  const RelativePositions* relative = nullptr;
  torch::Tensor sharedBias = {};  ///< the table that all blocks share; or undefined
};

/// x += scale1 proj(attention(norm1 x)); x += scale2 mlp(norm2 x). The scales exist if the
/// configuration names them. If norms follow the sums, x = norm1(x + scale1 proj(attention(x))) and
/// x = norm2(x + scale2 mlp(x)). Its parameters are registered in the network.
class VitBlock {
 public:
  /// `path` is the block's path among the network's names.
  VitBlock(torch::nn::Module& network, const std::string& path,
           const VitConfiguration& configuration);
  /// Maps [B, prefix + n, C] to [B, prefix + n, C].
  torch::Tensor forward(const torch::Tensor& tokens, const VitPlaces& places, Recorder* recorder);

 private:
  /// Returns queries, keys and values of all tokens, [B, prefix + n, C] each.
  std::vector<torch::Tensor> project(const torch::Tensor& tokens);
  torch::Tensor attend(const torch::Tensor& tokens, const VitPlaces& places, Recorder* recorder);
  torch::Tensor joinHeadsOf(const torch::Tensor& attended, Recorder* recorder);
  torch::Tensor mlp(const torch::Tensor& tokens);

  std::string layer_;  ///< the attention's path, for the recorder
  int heads_;
  bool scalesByWidth_;
  std::vector<std::string> prefixNames_;
  double epsilon_;
  std::optional<SimaNorm> sima_;
  std::string mechanism_;
  RotaryPositions rotary_;
  VitActivation activation_;
  bool isGated_;
  bool isGateLast_;
  bool normsAfter_;
  LayerNorm norm1_{nullptr};
  Linear queryKeyValue_{nullptr};
  Linear query_{nullptr};
  Linear key_{nullptr};
  Linear value_{nullptr};
  torch::Tensor queryBias_;
  torch::Tensor valueBias_;
  torch::Tensor biasMask_;
  torch::Tensor positionBias_;  ///< [entries, heads]
  LayerNorm attentionNorm_{nullptr};
  Linear projection_{nullptr};
  torch::Tensor scale1_;
  LayerNorm norm2_{nullptr};
  Linear expand_{nullptr};
  Linear gate_{nullptr};
  LayerNorm mlpNorm_{nullptr};
  Linear contract_{nullptr};
  torch::Tensor scale2_;
};

}  // namespace softscope
