#pragma once

#include "core/network/Recorder.h"
#include "models/layers/LandmarkGrid.h"
#include "models/layers/Layers.h"
#include "models/vit/VitBackbone.h"

#include <array>
#include <string>

namespace softscope {

/// The attention of T2T-ViT's token modules.
enum class T2tMechanism {
  Performer,      ///< positive random features, W from the file
  Softmax,        ///< softmax(Q K^T / sqrt(input width))
  Nystromformer,  ///< 64 landmarks, means of consecutive tokens, unless others are chosen
};

/// Returns `performer`, `softmax` or `nystromformer`.
std::string mechanismName(T2tMechanism mechanism);

struct T2tTokenOptions {
  std::string name;  ///< the module's path
  int inputs = 0;    ///< 3 x 7 x 7 or width x 3 x 3: an unfolded window
  int width = 64;
  int hidden = 64;
  int features = 32;               ///< Performer's m
  bool queryKeyValueBias = false;  ///< bias of the softmax form; Performer's always has one
  T2tMechanism mechanism = T2tMechanism::Performer;
  LandmarkChoice landmarks = {};
};

/// One of the two token modules, `tokens_to_token.attentionK`: a single head that turns windows of
/// pixels into tokens of `width`. x = v + proj(attention(norm1 x)); x += mlp(norm2 x).
class T2tTokensImpl : public torch::nn::Module {
 public:
  /// Number of Nyströmformer's landmarks, each of which stands for at least one token.
  static constexpr int landmarks = 64;

  explicit T2tTokensImpl(const T2tTokenOptions& options);
  /// Maps [B, n, inputs] to [B, n, width].
  torch::Tensor forward(const torch::Tensor& windows, const TokenGrid& grid, Recorder* recorder);

 private:
  struct Projections {
    torch::Tensor query;
    torch::Tensor key;
    torch::Tensor value;
  };

  /// Returns the path of the module that attends: `attn`, or the whole module for Performer.
  std::string layerName() const;
  void addPerformer();
  void addSoftmax();
  /// Projects [B, n, inputs] to [B, 1, n, width] each.
  Projections project(const torch::Tensor& windows) const;
  torch::Tensor attend(const Projections& projections, const TokenGrid& grid,
                       Recorder* recorder) const;
  torch::Tensor attendThroughLandmarks(const Projections& projections, double scale,
                                       AttentionDescription description, Recorder* recorder) const;
  torch::Tensor attendWithFeatures(const Projections& projections,
                                   const AttentionDescription& description,
                                   Recorder* recorder) const;
  /// Returns phi(x) = exp(W x - |x|^2 / 2) / sqrt(m), Performer's features ("Rethinking Attention
  /// with Performers", 2020, arXiv 2009.14794): [B, 1, n, width] -> [B, 1, n, m].
  torch::Tensor randomFeatures(const torch::Tensor& x) const;

  T2tTokenOptions options_;
  LayerNorm norm1_{nullptr};
  Linear queryKeyValue_{nullptr};
  torch::Tensor features_;
  Linear projection_{nullptr};
  LayerNorm norm2_{nullptr};
  Linear expand_{nullptr};
  Linear contract_{nullptr};
};
TORCH_MODULE(T2tTokens);

struct T2tConfiguration {
  VitConfiguration backbone;
  T2tMechanism mechanism = T2tMechanism::Performer;
  int tokenWidth = 64;
  int tokenHidden = 64;
  int features = 32;
  bool tokenBias = false;
  LandmarkChoice landmarks = {};
};

/// T2T-ViT: two attention modules, each followed by a coarser unfolding of its map, turn windows of
/// the picture into tokens for a plain transformer without qkv bias.
class T2tNetwork final : public VitBackbone {
 public:
  explicit T2tNetwork(const T2tConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  /// Only accepts square grids, because the published code takes the square root of the number of
  /// tokens as a side.
  void checkInputSize(int height, int width) const override;

 private:
  /// Returns true if a square picture with this side has enough tokens in every module.
  bool takesSide(int side) const;

  T2tMechanism mechanism_;
  std::array<T2tTokens, 2> tokens_{nullptr, nullptr};
  Linear projection_{nullptr};
};

}  // namespace softscope
