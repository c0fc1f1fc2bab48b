#pragma once

#include "core/network/NetworkModule.h"
#include "models/layers/TransformerBlock.h"

#include <vector>

namespace softscope {

/// Sizes of a ConViT. Names and shapes determine all of them but what the head sees.
struct ConvitConfiguration {
  int channels = 0;
  int heads = 0;
  int depth = 0;
  int gatedDepth = 0;  ///< number of blocks with gated positional attention, which come first
  int hidden = 0;
  int patch = 16;
  int side = 14;  ///< of the grid of patches
  int classes = 0;
  /// True if the head sees the mean of the patches instead of the class token.
  bool poolsPatches = false;
  bool hasPositions = true;
  bool queryBias = false;
  double epsilon = 1e-6;
};

/// ConViT ("ConViT: Improving Vision Transformers with Soft Convolutional Inductive Biases", 2021,
/// arXiv 2103.10697): blocks of gated positional attention between patches, then blocks of softmax
/// attention, which the class token joins.
class ConvitNetwork final : public NetworkModule {
 public:
  explicit ConvitNetwork(const ConvitConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  int pictureSide_;
  int gatedDepth_;
  bool poolsPatches_;
  Convolution embedding_{nullptr};
  torch::Tensor classToken_;
  torch::Tensor positions_;
  std::vector<TransformerBlock<LayerNorm>> blocks_;
  LayerNorm norm_{nullptr};
  Linear head_{nullptr};
};

}  // namespace softscope
