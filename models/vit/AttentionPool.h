#pragma once

#include "core/network/Recorder.h"
#include "models/layers/Layers.h"
#include "models/vit/VitConfiguration.h"

namespace softscope {

/// SigLIP's pool: one learned query attends to all patches, and an mlp follows, x + mlp(norm(x)).
/// It follows the last block and belongs to the head. Its parameters are registered in the network.
class AttentionPool {
 public:
  AttentionPool(torch::nn::Module& network, const VitConfiguration& configuration);
  /// Maps [B, n, C] to [B, C]. Recorded as a layer with one query.
  torch::Tensor forward(const torch::Tensor& patches, const TokenGrid& grid, Recorder* recorder);

 private:
  std::vector<torch::Tensor> project(const torch::Tensor& patches) const;
  void record(const torch::Tensor& attention, const torch::Tensor& query, const torch::Tensor& key,
              const torch::Tensor& value, const TokenGrid& grid, Recorder& recorder) const;

  std::string layer_;
  int heads_;
  VitActivation activation_;
  torch::Tensor latent_;
  Linear queryKeyValue_{nullptr};
  Linear query_{nullptr};
  Linear keyValue_{nullptr};
  Linear projection_{nullptr};
  LayerNorm norm_{nullptr};
  Linear expand_{nullptr};
  Linear contract_{nullptr};
};

}  // namespace softscope
