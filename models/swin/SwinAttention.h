#pragma once

#include "core/network/Recorder.h"
#include "models/layers/Layers.h"
#include "models/swin/SwinConfiguration.h"
#include "models/swin/SwinWindows.h"

#include <string>

namespace softscope {

/// Attention within windows. Swin adds a bias for each relative position to scaled products of
/// queries and keys; Swin V2 ("Swin Transformer V2: Scaling Up Capacity and Resolution", 2021,
/// arXiv 2111.09883) takes cosines, each head with a factor of its own, and computes the biases
/// from logarithms of the positions. Its parameters are registered in the network.
class SwinAttention {
 public:
  SwinAttention(torch::nn::Module& network, const std::string& path,
                const SwinConfiguration& configuration, const SwinStage& stage);

  /// Maps the tokens of a grid, [B, n, C], to the projected attention of every token to the tokens
  /// of its window and to their padding, and records it.
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                        const SwinWindows& windows, Recorder* recorder);

  const std::string& layer() const { return layer_; }

 private:
  /// Queries, keys or values of tokens, [B, n, inner], and of padding, whose input is zero:
  /// [inner].
  struct Projected {
    torch::Tensor tokens;
    torch::Tensor padding;
  };
  Projected project(const Linear& linear, const torch::Tensor& bias, const torch::Tensor& tokens);
  std::vector<Projected> queriesKeysValues(const torch::Tensor& tokens);
  /// Returns the biases of a window's pairs of places, [heads, places, places].
  torch::Tensor biases(const TokenGrid& window);
  torch::Tensor positionBiases(const TokenGrid& window);

  std::string layer_;
  int heads_;
  bool isV2_;
  bool zeroesKeyBias_;
  int pretrainedWindow_;
  Linear queryKeyValue_{nullptr};
  Linear query_{nullptr};
  Linear key_{nullptr};
  Linear value_{nullptr};
  torch::Tensor queryBias_;
  torch::Tensor valueBias_;
  torch::Tensor table_;
  torch::Tensor scale_;
  torch::Tensor coordinates_;
  Linear positionExpand_{nullptr};
  Linear positionContract_{nullptr};
  Linear projection_{nullptr};
};

}  // namespace softscope
