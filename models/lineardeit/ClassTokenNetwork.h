#pragma once

#include "core/network/Network.h"
#include "core/network/NetworkModule.h"
#include "models/layers/TransformerBlock.h"
#include "models/lineardeit/LinearDeitSizes.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// DeiT with another attention in its blocks, which treats the class token like any other: patches,
/// class token, positions, blocks with layer norms, and a head on the class token. Only takes
/// pictures of the size that its positions are for.
class ClassTokenNetwork final : public NetworkModule, public EarlyAnswerNetwork {
 public:
  /// Creates the attention of a block from the block's index and the module's path for the
  /// recorder.
  using MakeAttention =
      std::function<std::shared_ptr<StageAttention>(int block, const std::string& name)>;

  ClassTokenNetwork(const LinearDeitSizes& sizes, const MakeAttention& makeAttention);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;
  torch::Tensor answerEarly(const torch::Tensor& tokens, const TokenGrid& grid) override;

 private:
  int pictureSide_;
  Convolution embedding_{nullptr};
  torch::Tensor classToken_;
  torch::Tensor positions_;
  std::vector<TransformerBlock<LayerNorm>> blocks_;
  LayerNorm norm_{nullptr};
  Linear head_{nullptr};
};

}  // namespace softscope
