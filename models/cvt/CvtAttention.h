#pragma once

#include "core/network/Recorder.h"
#include "models/attention/SimaAttention.h"
#include "models/cvt/CvtNames.h"
#include "models/layers/Layers.h"

#include <optional>
#include <string>

namespace softscope {

struct CvtAttentionOptions {
  CvtNames names;
  std::string name;  ///< the module's path, for the recorder
  int channels = 0;
  int heads = 0;
  int kernel = 3;  ///< side of the depthwise convolutions
  bool queryBias = true;
  bool classToken = false;  ///< true if a class token precedes the patches
  /// The norm of SimA's attention; empty for the published softmax.
  std::optional<SimaNorm> sima;
};

/// `conv_proj_q`, `_k`, `_v`: a depthwise convolution and its norm.
class CvtProjectionImpl : public torch::nn::Module {
 public:
  CvtProjectionImpl(const CvtNames& names, int channels, int kernel, int stride);
  /// Maps [B, C, H, W] to [B, ceil(H / stride) * ceil(W / stride), C].
  torch::Tensor forward(const torch::Tensor& map);

 private:
  Convolution convolution_{nullptr};
  BatchNorm norm_{nullptr};
};
TORCH_MODULE(CvtProjection);

/// `attn`: queries of every token, with keys and values on a grid half as fine; the class token
/// joins all three after the convolutions. Computes softmax(q k^T C^(-1/2)) v, where C is the width
/// of all heads.
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

}  // namespace softscope
