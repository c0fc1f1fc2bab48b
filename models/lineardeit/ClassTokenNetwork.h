#pragma once

#include "core/model/NetworkModule.h"
#include "models/layers/TransformerBlock.h"
#include "models/lineardeit/LinearDeitSizes.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// DeiT with another attention in its blocks, which gets the class token as any other: patches,
/// class token, positions, blocks with layer norms, and a head on the class token. Takes pictures
/// of the size of its positions alone.
class ClassTokenNetwork final : public NetworkModule {
 public:
  /// The attention of a block, by the block's index and the module's path for the recorder.
  using MakeAttention =
      std::function<std::shared_ptr<StageAttention>(int block, const std::string& name)>;

  ClassTokenNetwork(const LinearDeitSizes& sizes, const MakeAttention& makeAttention);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

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
