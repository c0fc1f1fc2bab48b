#pragma once

#include "core/network/NetworkModule.h"
#include "models/layers/Layers.h"

#include <string>
#include <vector>

namespace softscope {

/// Sizes and parts of a stage's blocks.
struct VmambaStageConfiguration {
  int channels = 0;
  int depth = 0;
  int inner = 0;   ///< E, channels of the state spaces
  int states = 0;  ///< N
  int ranks = 0;   ///< R
  int hidden = 0;  ///< inside the blocks' mlp; 0 if there is none
  int filter = 3;  ///< side of the convolution before the scans
};

/// Sizes and parts of a VMamba, all of which names and shapes determine.
struct VmambaConfiguration {
  std::vector<VmambaStageConfiguration> stages;
  bool isGated = false;             ///< in_proj also gives a gate (v0)
  bool hasConvolutionBias = false;  ///< (v0)
  /// Channels between the two convolutions of the stem; 0 if it is a single one of 4 x 4 (v0).
  int stemChannels = 0;
  bool mergesPatches = false;  ///< between stages, a product of 2 x 2 patches (v0)
  bool storesMaps = false;     ///< products are stored as convolutions, [outputs, inputs, 1, 1]
  int classes = 0;
};

/// A product that a file may store as a convolution of 1 x 1.
class VmambaProduct {
 public:
  VmambaProduct() = default;
  VmambaProduct(torch::nn::Module& network, const std::string& path, int inputs, int outputs,
                bool withBias, bool isMap);
  /// Maps [..., inputs] to [..., outputs].
  torch::Tensor forward(const torch::Tensor& x) const;
  /// The weight, [outputs, inputs].
  torch::Tensor matrix() const { return weight_.flatten(1); }

 private:
  torch::Tensor weight_;
  torch::Tensor bias_;
};

/// `op`: four scans over a map, along its rows, along its columns, and both backwards ("VMamba:
/// Visual State Space Model", 2024, arXiv 2401.10166). All act on the same V and are added up.
class VmambaScans {
 public:
  VmambaScans(torch::nn::Module& network, std::string name, const VmambaStageConfiguration& sizes,
              const VmambaConfiguration& configuration);
  /// Maps tokens [B, n, C] to [B, n, C].
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                        Recorder* recorder) const;
  const std::string& layer() const { return name_; }

 private:
  std::string name_;
  VmambaStageConfiguration sizes_;
  bool isGated_;
  VmambaProduct input_;
  Convolution convolution_{nullptr};
  torch::Tensor projection_;  ///< [4, R + 2 N, E]
  torch::Tensor stepWeight_;  ///< [4, E, R]
  torch::Tensor stepBias_;    ///< [4, E]
  torch::Tensor logRates_;    ///< [4 E, N]
  torch::Tensor skips_;       ///< D, [4 E]
  LayerNorm norm_{nullptr};
  VmambaProduct output_;
};

/// VMamba under the published parameter names, in the forms v0 and v05_noz. Takes pictures of any
/// size.
class VmambaNetwork final : public NetworkModule {
 public:
  explicit VmambaNetwork(const VmambaConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  struct Block {
    LayerNorm norm{nullptr};
    std::vector<VmambaScans> scans;  ///< a single one
    LayerNorm norm2{nullptr};        ///< null if there is no mlp
    VmambaProduct expand;
    VmambaProduct contract;
  };
  /// A convolution and the norm that follows or, where patches are merged, a norm and a product.
  struct Reduction {
    Convolution convolution{nullptr};
    LayerNorm norm{nullptr};
    VmambaProduct product;
  };
  struct Stage {
    std::vector<Block> blocks;
    Reduction downsample;
  };

  void addStem();
  Block makeBlock(const std::string& path, const VmambaStageConfiguration& sizes);
  Reduction makeDownsample(const std::string& path, int inputs, int outputs);
  torch::Tensor embed(const torch::Tensor& picture) const;
  torch::Tensor reduce(const Reduction& reduction, const torch::Tensor& map) const;

  VmambaConfiguration configuration_;
  Reduction stem1_;
  Reduction stem2_;
  std::vector<Stage> stages_;
  LayerNorm norm_{nullptr};
  Linear head_{nullptr};
};

}  // namespace softscope
