#pragma once

#include "models/layers/Layers.h"
#include "models/vit/VitConfiguration.h"

namespace softscope {

/// timm's latent attention pool: one learned query attends to all patches, and an mlp follows, x +
/// mlp(norm(x)). It follows the last block and belongs to the head. Its parameters are registered
/// in the network.
class AttentionPool {
 public:
  AttentionPool(torch::nn::Module& network, const VitConfiguration& configuration);
  /// Maps [B, n, C] to [B, C].
  torch::Tensor forward(const torch::Tensor& patches);

 private:
  int heads_;
  VitActivation activation_;
  torch::Tensor latent_;
  Linear query_{nullptr};
  Linear keyValue_{nullptr};
  Linear projection_{nullptr};
  LayerNorm norm_{nullptr};
  Linear expand_{nullptr};
  Linear contract_{nullptr};
};

}  // namespace softscope
