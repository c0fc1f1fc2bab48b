#pragma once

#include "models/identify/Family.h"
#include "models/layers/Layers.h"
#include "models/xcit/XcitBlocks.h"

#include <vector>

namespace softscope {

/// The whole network, under the published parameter names.
class XcitNetwork final : public NetworkModule {
 public:
  explicit XcitNetwork(const XcitConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  struct ConvolutionAndNorm {
    Convolution convolution{nullptr};
    BatchNorm norm{nullptr};
  };

  void addPatchEmbedding();
  torch::Tensor embed(const torch::Tensor& picture) const;
  /// Returns the projected Fourier code of a grid: [1, n, channels].
  torch::Tensor positions(const TokenGrid& grid) const;

  XcitConfiguration configuration_;
  std::vector<ConvolutionAndNorm> stem_;
  Convolution positionProjection_{nullptr};
  torch::Tensor classToken_;
  std::vector<XcitBlock> blocks_;
  std::vector<XcitClassBlock> classBlocks_;
  LayerNorm norm_{nullptr};
  Linear head_{nullptr};
};

}  // namespace softscope
