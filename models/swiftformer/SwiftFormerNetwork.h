#pragma once

#include "core/network/NetworkModule.h"
#include "models/layers/Layers.h"

#include <string>
#include <vector>

namespace softscope {

/// The names of a SwiftFormer's parts in a file: timm's or its authors'.
struct SwiftFormerNames {
  bool areTimms = true;

  std::string stem() const { return areTimms ? "stem." : "patch_embed."; }
  std::string block(std::size_t stage, int block) const;
  std::string downsample(std::size_t stage) const;
  std::string scale(const std::string& name) const { return areTimms ? name + ".gamma" : name; }
  std::string projection() const { return areTimms ? "proj" : "Proj"; }
  std::string distilledHead() const { return areTimms ? "head_dist" : "dist_head"; }
};

struct SwiftFormerStage {
  int channels = 0;
  int depth = 0;
  int convolved = 0;  ///< channels inside the blocks of convolutions
  int local = 0;      ///< channels inside the convolutions before attention
  int hidden = 0;     ///< inside the last block's mlp
};

struct SwiftFormerConfiguration {
  SwiftFormerNames names;
  int stemChannels = 0;
  std::vector<SwiftFormerStage> stages;
  int classes = 0;
  bool isDistilled = true;
};

/// A depthwise convolution, a norm, and two products with GELU between, scaled and added to the
/// input.
class SwiftFormerConvolutions {
 public:
  SwiftFormerConvolutions(torch::nn::Module& network, const std::string& path, int channels,
                          int hidden, const SwiftFormerNames& names);
  /// Maps [B, C, H, W] to [B, C, H, W].
  torch::Tensor forward(const torch::Tensor& map) const;

 private:
  Convolution depthwise_{nullptr};
  BatchNorm norm_{nullptr};
  Convolution expand_{nullptr};
  Convolution contract_{nullptr};
  torch::Tensor scale_;
};

/// The last block of a stage, with additive attention ("SwiftFormer: Efficient Additive Attention
/// for Transformer-based Real-time Mobile Vision Applications", 2023, arXiv 2303.15446): channel c
/// of token i receives k_ic sum_j a_j q_jc, where q and k have unit length over the channels and
/// a = q w_g / sqrt(C) unit length over the tokens. Queries are the values.
class SwiftFormerBlock {
 public:
  SwiftFormerBlock(torch::nn::Module& network, const std::string& path,
                   const SwiftFormerStage& sizes, const SwiftFormerNames& names);
  torch::Tensor forward(const torch::Tensor& map, Recorder* recorder) const;

 private:
  torch::Tensor attend(const torch::Tensor& map, const TokenGrid& grid, Recorder* recorder) const;

  std::string layer_;
  SwiftFormerConvolutions local_;
  torch::Tensor weights_;  ///< w_g, [C, 1]
  Linear query_{nullptr};
  Linear key_{nullptr};
  Linear projection_{nullptr};
  Linear final_{nullptr};
  torch::Tensor scale1_;
  BatchNorm norm_{nullptr};
  Convolution expand_{nullptr};
  Convolution contract_{nullptr};
  torch::Tensor scale2_;
};

/// SwiftFormer under timm's names or its authors'. Takes pictures of any size.
class SwiftFormerNetwork final : public NetworkModule {
 public:
  explicit SwiftFormerNetwork(const SwiftFormerConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  struct NormedPart {
    Convolution convolution{nullptr};
    BatchNorm norm{nullptr};
  };
  struct Stage {
    NormedPart downsample;
    std::vector<SwiftFormerConvolutions> convolutions;
    std::vector<SwiftFormerBlock> attention;  ///< a single one
  };

  NormedPart addNormed(const std::string& convolution, const std::string& norm, int inputs,
                       int outputs);

  NormedPart stem1_;
  NormedPart stem2_;
  std::vector<Stage> stages_;
  BatchNorm norm_{nullptr};
  Linear head_{nullptr};
  Linear distilledHead_{nullptr};
};

}  // namespace softscope
