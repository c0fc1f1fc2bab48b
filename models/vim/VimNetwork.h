#pragma once

#include "core/network/NetworkModule.h"
#include "models/layers/Layers.h"
#include "models/scan/SelectiveScan.h"

#include <string>
#include <vector>

namespace softscope {

/// Sizes of a Vim, which names and shapes determine, and what leaves nothing in them.
struct VimConfiguration {
  int channels = 0;
  int depth = 0;
  int patch = 0;
  int side = 0;    ///< patches per side
  int inner = 0;   ///< E, channels of the state spaces
  int states = 0;  ///< N
  int ranks = 0;   ///< R
  int taps = 4;    ///< of the convolutions along the sequence
  int classes = 0;
  bool hasClassInMiddle = true;  ///< of the sequence; at its beginning if false
  bool halvesScans = true;       ///< the sum of both scans is halved

  /// Tokens of the sequence before the class token.
  int patchesBeforeClass() const { return hasClassInMiddle ? side * side / 2 : 0; }
};

/// `mixer`: a scan over the sequence and one over the reversed sequence, each with a convolution
/// and a state space of its own.
class VimMixerImpl : public torch::nn::Module {
 public:
  VimMixerImpl(std::string name, const VimConfiguration& sizes);
  /// Maps tokens [B, n, C], with the class token in its place, to [B, n, C].
  torch::Tensor forward(const torch::Tensor& tokens, Recorder* recorder);
  const std::string& layer() const { return name_; }

 private:
  /// The parameters of one direction, whose names end in `b` if it is the backward one.
  struct Direction {
    torch::Tensor convolution, convolutionBias;  ///< [E, 1, taps], [E]
    torch::Tensor projection;                    ///< [R + 2 N, E]
    torch::Tensor stepWeight, stepBias;          ///< [E, R], [E]
    torch::Tensor logRates;                      ///< [E, N]
    torch::Tensor skips;                         ///< D, [E]
  };
  Direction addDirection(bool isBackward);
  /// Convolves [B, n, E] so that a token sees itself and those before it.
  torch::Tensor convolve(const Direction& direction, const torch::Tensor& x) const;
  void record(const SelectiveScan& scan, Recorder* recorder) const;

  std::string name_;
  VimConfiguration sizes_;
  Linear input_{nullptr};
  Linear output_{nullptr};
  Direction forward_;
  Direction backward_;
};
TORCH_MODULE(VimMixer);

/// Vim ("Vision Mamba: Efficient Visual Representation Learning with Bidirectional State Space
/// Model", 2024, arXiv 2401.09417) under the published parameter names.
class VimNetwork final : public NetworkModule {
 public:
  explicit VimNetwork(const VimConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  /// Patches may overlap by half: a picture of either size fits.
  void checkInputSize(int height, int width) const override;

 private:
  struct Layer {
    RmsNorm norm{nullptr};
    VimMixer mixer{nullptr};
  };
  /// Returns the distance between patches, which the weights do not tell, such that they cover the
  /// side from the first pixel to the last; 0 if there is none.
  int strideFor(int pictureSide) const;
  /// Returns tokens [B, n, C] with the class token first, as they are recorded.
  torch::Tensor classFirst(const torch::Tensor& tokens) const;
  /// Returns what classFirst() returned in the network's own order.
  torch::Tensor classInPlace(const torch::Tensor& tokens) const;

  VimConfiguration configuration_;
  torch::Tensor classToken_;
  torch::Tensor positions_;
  Linear head_{nullptr};
  torch::Tensor embeddingWeight_;
  torch::Tensor embeddingBias_;
  std::vector<Layer> layers_;
  RmsNorm norm_{nullptr};
};

}  // namespace softscope
