#pragma once

#include "core/network/NetworkModule.h"
#include "models/layers/Layers.h"
#include "models/swin/SwinAttention.h"
#include "models/swin/SwinConfiguration.h"
#include "models/swin/SwinWindows.h"

#include <string>
#include <vector>

namespace softscope {

/// A block of Swin, with norms before attention and mlp, or of Swin V2, with norms behind both.
class SwinBlock {
 public:
  SwinBlock(torch::nn::Module& network, const std::string& path,
            const SwinConfiguration& configuration, const SwinStage& stage);
  /// Maps [B, n, C] to [B, n, C].
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                        const SwinWindows& windows, Recorder* recorder);

 private:
  /// Returns what the attention adds to the tokens.
  torch::Tensor attend(const torch::Tensor& tokens, const TokenGrid& grid,
                       const SwinWindows& windows, Recorder* recorder);

  bool isV2_;
  Activation activation_;
  LayerNorm norm1_{nullptr};
  SwinAttention attention_;
  LayerNorm norm2_{nullptr};
  Linear expand_{nullptr};
  Linear contract_{nullptr};
};

/// Swin Transformer ("Swin Transformer: Hierarchical Vision Transformer using Shifted Windows",
/// 2021, arXiv 2103.14030) and Swin V2: a pyramid whose blocks attend within windows, which every
/// second block shifts; the head sees the mean of the last stage.
class SwinNetwork final : public NetworkModule {
 public:
  explicit SwinNetwork(const SwinConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  /// Throws InspectionError for a picture that is not of whole patches, that has other positions
  /// than the file, or on whose grids the library would use windows of another size than the tables
  /// of biases are for.
  void checkInputSize(int height, int width) const override;

 private:
  struct Stage {
    LayerNorm mergingNorm{nullptr};
    Linear reduction{nullptr};
    std::vector<SwinBlock> blocks;
  };
  void addStage(int index);
  torch::Tensor embed(const torch::Tensor& picture);
  /// Merges 2 x 2 tokens into one with as many channels as the next stage has.
  torch::Tensor merge(Stage& stage, const torch::Tensor& tokens, const TokenGrid& grid);
  void checkWindows(int stage, const TokenGrid& grid, const std::string& size) const;

  SwinConfiguration configuration_;
  Convolution embedding_{nullptr};
  LayerNorm embeddingNorm_{nullptr};
  torch::Tensor positions_;
  std::vector<Stage> stages_;
  LayerNorm norm_{nullptr};
  Linear head_{nullptr};
};

}  // namespace softscope
