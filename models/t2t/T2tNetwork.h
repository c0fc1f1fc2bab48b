#pragma once

#include "models/t2t/T2tTokens.h"
#include "models/vit/VitBackbone.h"

#include <array>

namespace softscope {

struct T2tConfiguration {
  VitConfiguration backbone;
  T2tMechanism mechanism = T2tMechanism::Performer;
  int tokenWidth = 64;
  int tokenHidden = 64;
  int features = 32;
  bool tokenBias = false;
  LandmarkChoice landmarks = {};
};

/// T2T-ViT: windows of the picture become tokens in two attention modules, each followed by a
/// coarser unfolding of its map, before a plain transformer without qkv bias.
class T2tNetwork final : public VitBackbone {
 public:
  explicit T2tNetwork(const T2tConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  /// Only square grids: the published code takes the root of the number of tokens for a side.
  void checkInputSize(int height, int width) const override;

 private:
  /// Whether a square picture of that side has tokens enough in every module.
  bool takesSide(int side) const;

  T2tMechanism mechanism_;
  std::array<T2tTokens, 2> tokens_{nullptr, nullptr};
  Linear projection_{nullptr};
};

}  // namespace softscope
