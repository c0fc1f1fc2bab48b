#pragma once

#include "core/network/NetworkModule.h"
#include "core/network/Recorder.h"
#include "models/layers/Layers.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Sizes of one stage of MobileViT.
struct MobileVitStage {
  /// Widths of inverted residuals, in the order they run: outputs and hidden layer of each.
  struct Residual {
    int outputs = 0;
    int hidden = 0;
  };
  std::vector<Residual> residuals;
  bool isStrided = true;  ///< true if the first residual halves the grid
  int depth = 0;          ///< number of transformer layers after the residuals; 0 for none
  int width = 0;          ///< channels of its tokens
  int hidden = 0;         ///< inside the transformer's mlps
};

/// A convolution without bias, `convolution`, and its batch norm, `normalization`, if there is one.
class MobileVitConvolution {
 public:
  MobileVitConvolution() = default;
  /// Registers the parameters below `path` of the network.
  MobileVitConvolution(torch::nn::Module& network, const std::string& path,
                       ConvolutionOptions options, bool hasNorm = true);
  torch::Tensor forward(const torch::Tensor& x);
  /// Returns silu(forward(x)).
  torch::Tensor activated(const torch::Tensor& x) { return at::silu(forward(x)); }

 private:
  Convolution convolution_{nullptr};
  BatchNorm norm_{nullptr};
};

/// MobileNetV2's block: a product that widens, a depthwise convolution, a product that narrows; and
/// its input, if the sizes agree.
class InvertedResidual {
 public:
  InvertedResidual(torch::nn::Module& network, const std::string& path, int inputs,
                   const MobileVitStage::Residual& sizes, int stride);
  torch::Tensor forward(const torch::Tensor& x);

 private:
  bool keepsInput_;
  MobileVitConvolution expand_;
  MobileVitConvolution depthwise_;
  MobileVitConvolution reduce_;
};

/// A transformer layer whose softmax is among pixels at equal offsets in 2 x 2 patches: rows and
/// columns of a pixel and its keys differ by even numbers.
class OffsetTransformerLayer {
 public:
  OffsetTransformerLayer(torch::nn::Module& network, const std::string& path,
                         const MobileVitStage& stage, int heads, double epsilon);
  /// Maps all pixels [B, n, C] of a grid to [B, n, C].
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);

 private:
  torch::Tensor attend(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);

  std::string layer_;
  int heads_;
  LayerNorm norm1_{nullptr};
  Linear query_{nullptr};
  Linear key_{nullptr};
  Linear value_{nullptr};
  Linear projection_{nullptr};
  LayerNorm norm2_{nullptr};
  Linear expand_{nullptr};
  Linear contract_{nullptr};
};

/// Sizes of a MobileViT. Names and shapes determine all of them except heads and epsilon.
struct MobileVitConfiguration {
  std::string prefix;  ///< before all names but the head's: `mobilevit.`
  int stem = 16;
  std::vector<MobileVitStage> stages;
  int kernel = 3;  ///< side of the convolutions around a transformer
  int last = 0;    ///< channels after the last convolution; 0 if there is none
  int heads = 4;
  int classes = 0;
  double epsilon = 1e-5;
};

/// MobileViT ("MobileViT: Light-weight, General-purpose, and Mobile-friendly Vision Transformer",
/// 2021, arXiv 2110.02178) as Hugging Face's library computes it. It reverses the channels of
/// pictures, since it was trained on pictures with blue first.
class MobileVitNetwork final : public NetworkModule {
 public:
  explicit MobileVitNetwork(const MobileVitConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  /// The part of a stage around its transformer layers.
  struct Transformer {
    MobileVitConvolution convolution;
    MobileVitConvolution toTokens;
    std::vector<OffsetTransformerLayer> layers;
    LayerNorm norm{nullptr};
    MobileVitConvolution fromTokens;
    MobileVitConvolution fusion;
  };
  struct Stage {
    std::vector<InvertedResidual> residuals;
    std::optional<Transformer> transformer;
  };

  Stage makeStage(const std::string& path, int inputs, const MobileVitStage& sizes);
  static torch::Tensor transform(Transformer& transformer, const torch::Tensor& map,
                                 Recorder* recorder);

  MobileVitConfiguration configuration_;
  MobileVitConvolution stem_;
  std::vector<Stage> stages_;
  std::optional<MobileVitConvolution> last_;
  Linear head_{nullptr};
};

}  // namespace softscope
