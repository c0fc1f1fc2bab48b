#pragma once

#include "models/cvt/CvtAttention.h"
#include "models/identify/Family.h"
#include "models/layers/Layers.h"

#include <string>
#include <vector>

namespace softscope {

struct CvtStageConfiguration {
  int channels = 0;
  int heads = 0;
  int depth = 0;
  int hidden = 0;
  int patchKernel = 3;  ///< side of the patch embedding's convolution
};

/// Sizes of a CvT. Names and shapes determine all of them except the heads.
struct CvtConfiguration {
  CvtNames names;
  std::vector<CvtStageConfiguration> stages;
  int attentionKernel = 3;
  int classes = 0;
  bool queryBias = true;
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
