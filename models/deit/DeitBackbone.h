#pragma once

#include "core/model/Recorder.h"
#include "models/attention/SimaAttention.h"
#include "models/identify/Family.h"
#include "models/layers/Layers.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Sizes of a plain vision transformer behind its patch embedding.
struct DeitConfiguration {
  int channels = 0;
  int heads = 0;
  int depth = 0;
  int hidden = 0;
  /// Class token, and the distillation token after it, if there is one.
  int prefixTokens = 1;
  /// Entries of the position table without those of the prefix tokens.
  int positions = 196;
  /// 0 for a backbone without a head.
  int classes = 0;
  bool queryKeyValueBias = true;
  double epsilon = 1e-6;
  /// SimA's attention with this norm; nothing for softmax(Q K^T / sqrt(d)) V.
  std::optional<SimaNorm> sima;
  /// In the blocks' mlp. SimA's authors try ReLU in all of them (Section 4.5).
  Activation activation = Activation::Gelu;
};

/// x += proj(attention(norm1 x)); x += fc2(activation(fc1(norm2 x))).
class DeitBlockImpl : public torch::nn::Module {
 public:
  /// `name` is the module's path, for the recorder.
  DeitBlockImpl(const std::string& name, const DeitConfiguration& configuration);
  /// [B, prefix + n, C] -> [B, prefix + n, C].
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);

 private:
  torch::Tensor attend(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);

  std::string attentionName_;
  int heads_;
  int prefixTokens_;
  std::optional<SimaNorm> sima_;
  Activation activation_;
  LayerNorm norm1_{nullptr};
  Linear queryKeyValue_{nullptr};
  Linear projection_{nullptr};
  LayerNorm norm2_{nullptr};
  Linear expand_{nullptr};
  Linear contract_{nullptr};
};
TORCH_MODULE(DeitBlock);

/// The plain vision transformer that DeiT and T2T-ViT share, without what makes tokens of the
/// picture: class token, positions, blocks and heads under timm's names.
class DeitBackbone : public NetworkModule {
 public:
  explicit DeitBackbone(const DeitConfiguration& configuration);

 protected:
  /// Logits of patches [B, n, C] that lie in `grid`: of the class token, or the mean of both heads'
  /// where there is a distillation token. Undefined without a head.
  torch::Tensor classify(const torch::Tensor& patches, const TokenGrid& grid, Recorder* recorder);
  /// Throws InspectionError if there are no positions for that grid.
  void checkGrid(const TokenGrid& grid) const;

 private:
  DeitConfiguration configuration_;
  torch::Tensor classToken_;
  torch::Tensor distillationToken_;
  torch::Tensor positions_;
  std::vector<DeitBlock> blocks_;
  LayerNorm norm_{nullptr};
  Linear head_{nullptr};
  Linear distillationHead_{nullptr};
};

/// A position table [1, prefix + m, C] for `grid`: [1, prefix + n, C]. The m entries after the
/// prefix are resized bicubically if they make a square, and lie as the picture does otherwise.
torch::Tensor resizePositions(const torch::Tensor& positions, int prefixTokens,
                              const TokenGrid& grid);

/// Side of the square that `positions` entries make, or 0 if they make none.
int squareSide(int positions);

}  // namespace softscope
