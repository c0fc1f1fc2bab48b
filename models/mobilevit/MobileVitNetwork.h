#pragma once

#include "core/network/NetworkModule.h"
#include "models/mobilevit/MobileVitBlocks.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

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
/// 2021, arXiv 2110.02178) as Hugging Face's library computes it. It reverses
/// the channels of pictures, since it was trained on pictures with blue first.
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
