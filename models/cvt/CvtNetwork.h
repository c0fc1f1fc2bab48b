#pragma once

#include "core/network/Recorder.h"
#include "models/attention/SimaAttention.h"
#include "models/cvt/CvtNames.h"
#include "models/identify/Family.h"
#include "models/layers/Layers.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

struct CvtAttentionOptions {
  CvtNames names;
  std::string name;  ///< the module's path, for the recorder
  int channels = 0;
  int heads = 0;
  int kernel = 3;      ///< side of the depthwise convolutions
  int keyStride = 2;   ///< of the convolutions of keys and values
  int keyPadding = 1;  ///< of these convolutions
  bool queryBias = true;
  bool classToken = false;  ///< true if a class token precedes the patches
  /// The norm of SimA's attention; empty for the published softmax.
  std::optional<SimaNorm> sima;
};

/// `conv_proj_q`, `_k`, `_v`: a depthwise convolution and its norm.
class CvtProjectionImpl : public torch::nn::Module {
 public:
  CvtProjectionImpl(const CvtNames& names, const ConvolutionOptions& sizes);
  /// Maps [B, C, H, W] to [B, n, C], where n is the number of the convolution's places.
  torch::Tensor forward(const torch::Tensor& map);

 private:
  Convolution convolution_{nullptr};
  BatchNorm norm_{nullptr};
};
TORCH_MODULE(CvtProjection);

/// `attn`: queries of every token, with keys and values on a grid that is usually half as fine; the
/// class token joins all three after the convolutions. Computes softmax(q k^T C^(-1/2)) v, where C
/// is the width of all heads.
class CvtAttentionImpl : public torch::nn::Module {
 public:
  explicit CvtAttentionImpl(const CvtAttentionOptions& options);
  /// Maps [B, n, C] to [B, n, C]; n includes the class token if there is one.
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);
  const std::string& layer() const { return options_.name; }

 private:
  /// Passes the patches through a convolution, puts the class token in front of them, and passes
  /// all through a linear layer.
  torch::Tensor project(const torch::Tensor& tokens, const torch::Tensor& map,
                        CvtProjection& convolution, const Linear& linear) const;
  AttentionDescription describe(const TokenGrid& grid) const;

  CvtAttentionOptions options_;
  CvtProjection queryConvolution_{nullptr};
  CvtProjection keyConvolution_{nullptr};
  CvtProjection valueConvolution_{nullptr};
  Linear query_{nullptr};
  Linear key_{nullptr};
  Linear value_{nullptr};
  Linear projection_{nullptr};
};
TORCH_MODULE(CvtAttention);

struct CvtStageConfiguration {
  int channels = 0;
  int heads = 0;
  int depth = 0;
  int hidden = 0;
  int patchKernel = 3;   ///< side of the patch embedding's convolution
  int patchStride = 2;   ///< of that convolution; no weight tells it
  int patchPadding = 1;  ///< of that convolution; no weight tells it
  int keyStride = 2;     ///< of the convolutions of keys and values; no weight tells it
  int keyPadding = 1;    ///< of the convolutions of keys and values; no weight tells it
  /// True if queries, keys and values have biases; each stage may decide otherwise.
  bool queryBias = true;
};

/// Sizes of a CvT. Names and shapes determine all of them except heads, paddings and strides.
struct CvtConfiguration {
  CvtNames names;
  std::vector<CvtStageConfiguration> stages;
  int attentionKernel = 3;
  int classes = 0;
  /// The norm of SimA's attention, as in CvtAttentionOptions.
  std::optional<SimaNorm> sima;
};

/// A pre-norm transformer block. The activation of its mlp is x sigmoid(1.702 x) as Microsoft
/// published it, and GELU in Hugging Face's code.
class CvtBlockImpl : public torch::nn::Module {
 public:
  CvtBlockImpl(const CvtAttentionOptions& attention, int hidden);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);

 private:
  torch::Tensor mlp(const torch::Tensor& tokens);

  bool isQuick_;
  CvtAttention attention_{nullptr};
  LayerNorm norm1_{nullptr};
  LayerNorm norm2_{nullptr};
  Linear expand_{nullptr};
  Linear contract_{nullptr};
};
TORCH_MODULE(CvtBlock);

/// `stageS`: a convolution that reduces the grid, its norm, and blocks; the last stage has the
/// class token.
class CvtStageImpl : public torch::nn::Module {
 public:
  CvtStageImpl(const CvtConfiguration& configuration, int index);

  struct Output {
    torch::Tensor tokens;  ///< [B, n, C], the class token first in the last stage
    TokenGrid grid;
  };
  /// `map` is [B, channels of the previous stage, H, W].
  Output forward(const torch::Tensor& map, Recorder* recorder);

 private:
  Convolution embedding_{nullptr};
  LayerNorm norm_{nullptr};
  torch::Tensor classToken_;
  std::vector<CvtBlock> blocks_;
};
TORCH_MODULE(CvtStage);

/// CvT under the published parameter names.
class CvtNetwork final : public NetworkModule {
 public:
  explicit CvtNetwork(const CvtConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  int smallestSide_;
  std::vector<CvtStage> stages_;
  LayerNorm norm_{nullptr};
  Linear head_{nullptr};
};

}  // namespace softscope
