#pragma once

#include "core/network/NetworkModule.h"
#include "models/layers/Layers.h"

#include <string>
#include <vector>

namespace softscope {

/// Sizes of a CaiT. Names and shapes determine all of them but what the head sees.
struct CaitConfiguration {
  int channels = 0;
  int heads = 0;
  int depth = 0;
  int classDepth = 0;  ///< number of blocks that only the class token runs through
  int hidden = 0;
  int classHidden = 0;
  int patch = 16;
  int side = 14;  ///< of the grid of patches, which positions are for
  int classes = 0;
  /// True if the head sees the mean of the patches instead of the class token.
  bool poolsPatches = false;
  bool queryBias = true;
  double epsilon = 1e-6;
};

/// A block of CaiT's, x += gamma_1 attn(norm1 x); x += gamma_2 mlp(norm2 x). Its attention is that
/// of patches, whose heads talk, or that of the class token.
class CaitBlockImpl : public torch::nn::Module {
 public:
  CaitBlockImpl(const CaitConfiguration& configuration, const std::string& path,
                bool isOfClassToken);
  /// Maps [B, n, C] to [B, n, C]. The class token's block changes only the first token.
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);

 private:
  /// Computes A V of patches, A = proj_w(softmax(proj_l(q k^T / sqrt(d)))), where proj_l and proj_w
  /// mix heads.
  torch::Tensor attendTalking(const torch::Tensor& tokens, const TokenGrid& grid,
                              Recorder* recorder);
  torch::Tensor attendClass(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);

  std::string layer_;
  int heads_;
  bool isOfClassToken_;
  torch::Tensor gamma1_;
  torch::Tensor gamma2_;
  LayerNorm norm1_{nullptr};
  LayerNorm norm2_{nullptr};
  Linear queryKeyValue_{nullptr};
  Linear query_{nullptr};
  Linear key_{nullptr};
  Linear value_{nullptr};
  Linear mixBefore_{nullptr};
  Linear mixAfter_{nullptr};
  Linear projection_{nullptr};
  Linear expand_{nullptr};
  Linear contract_{nullptr};
};
TORCH_MODULE(CaitBlock);

/// CaiT ("Going deeper with Image Transformers", 2021, arXiv 2103.17239): patches alone in blocks
/// of talking heads, then blocks in which only the class token changes.
class CaitNetwork final : public NetworkModule {
 public:
  explicit CaitNetwork(const CaitConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  int pictureSide_;
  bool poolsPatches_;
  Convolution embedding_{nullptr};
  torch::Tensor classToken_;
  torch::Tensor positions_;
  std::vector<CaitBlock> blocks_;
  std::vector<CaitBlock> classBlocks_;
  LayerNorm norm_{nullptr};
  Linear head_{nullptr};
};

}  // namespace softscope
