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
