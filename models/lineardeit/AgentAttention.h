#pragma once

#include "models/layers/Layers.h"
#include "models/layers/StageAttention.h"

#include <string>

namespace softscope {

struct AgentAttentionOptions {
  std::string name;
  int channels = 0;
  int heads = 0;
  /// Number of agents, a square number.
  int agents = 0;
  /// Number of patches per side.
  int side = 0;
  bool queryKeyValueBias = true;
};

/// Agent attention of "Agent Attention: On the Integration of Softmax and Linear Attention", 2023:
/// softmax(s q a^T + B2) softmax(s a k^T + B1) with s = d^(-1/2) and agents a, the means of the
/// patches' queries in p x p areas. Queries and keys include the class token. A depthwise 3 x 3
/// convolution of the patches' V is added.
class AgentAttentionImpl : public StageAttention {
 public:
  explicit AgentAttentionImpl(const AgentAttentionOptions& options);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                        Recorder* recorder) override;

 private:
  /// Returns the biases; B1 is [1, heads, agents, 1 + n], and B2 is [1, heads, 1 + n, agents].
  torch::Tensor biasOfKeys() const;
  torch::Tensor biasOfQueries() const;
  /// Computes agents [B, heads, agents, d] from queries [B, heads, 1 + n, d].
  torch::Tensor agentsOf(const torch::Tensor& query, const TokenGrid& grid) const;
  torch::Tensor convolve(const torch::Tensor& value, const TokenGrid& grid) const;

  int heads_;
  int agents_;
  int side_;
  Linear queryKeyValue_{nullptr};
  Linear projection_{nullptr};
  Convolution convolution_{nullptr};
  torch::Tensor keyTable_;
  torch::Tensor keyRows_;
  torch::Tensor keyColumns_;
  torch::Tensor keyClass_;
  torch::Tensor queryTable_;
  torch::Tensor queryRows_;
  torch::Tensor queryColumns_;
  torch::Tensor queryClass_;
};

/// Softmax attention under the same names, used in later blocks of an Agent-DeiT.
class SoftmaxBlockAttentionImpl : public StageAttention {
 public:
  SoftmaxBlockAttentionImpl(const std::string& name, int channels, int heads,
                            bool queryKeyValueBias);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                        Recorder* recorder) override;

 private:
  int heads_;
  Linear queryKeyValue_{nullptr};
  Linear projection_{nullptr};
};

}  // namespace softscope
