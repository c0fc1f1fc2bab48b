#pragma once

#include "core/model/NetworkModule.h"
#include "models/vit/AttentionPool.h"
#include "models/vit/VitBlock.h"

#include <optional>
#include <vector>

namespace softscope {

/// The plain vision transformer that ViT, DeiT, DINOv2 and T2T-ViT share, without what makes tokens
/// of the picture: tokens before the patches, positions, blocks and heads.
class VitBackbone : public NetworkModule {
 public:
  explicit VitBackbone(const VitConfiguration& configuration);

 protected:
  /// Logits of patches [B, n, C] that lie in `grid`; the mean of both heads' where there is a
  /// distillation token with its own. Undefined without a head.
  torch::Tensor classify(const torch::Tensor& patches, const TokenGrid& grid, Recorder* recorder);
  /// Logits of those of the patches [1, n, C] alone that `kept` [k] names; they have the positions
  /// that they have among all. Throws InspectionError where the head sees the mean of the patches,
  /// which none of them have.
  torch::Tensor classifySome(const torch::Tensor& patches, const TokenGrid& grid,
                             const torch::Tensor& kept);
  /// Throws InspectionError if there are no positions for that grid.
  void checkGrid(const TokenGrid& grid) const;
  const VitConfiguration& configuration() const { return configuration_; }

 private:
  torch::Tensor withPrefix(const torch::Tensor& patches, const TokenGrid& grid);
  torch::Tensor normalise(const torch::Tensor& tokens);
  torch::Tensor pool(const torch::Tensor& tokens);
  /// Logits of tokens [B, prefix + n, C] that have their positions.
  torch::Tensor answer(torch::Tensor tokens, const TokenGrid& grid, Recorder* recorder);

  VitConfiguration configuration_;
  /// Class token, distillation token, registers: [1, k, C] each.
  std::vector<torch::Tensor> prefix_;
  torch::Tensor positions_;
  LayerNorm normBefore_{nullptr};
  std::vector<VitBlock> blocks_;
  LayerNorm norm_{nullptr};
  LayerNorm poolingNorm_{nullptr};
  std::optional<AttentionPool> attentionPool_;
  Linear head_{nullptr};
  Linear distillationHead_{nullptr};
};

}  // namespace softscope
