#pragma once

#include "models/linearpvt/PvtAttention.h"

namespace softscope {

/// Focused linear attention of "FLatten Transformer: Vision Transformer using Focused Linear
/// Attention", 2023: A_ij = phi(q_i) . phi(k_j) / n_k / (phi(q_i) . mean phi(k) + 1e-6), where
/// phi(x) has the direction of t^3 and the length of t = (relu(x) + 1e-6) / softplus(scale). Both
/// lengths are over all channels, before they are split among the heads.
class FocusedAttentionImpl : public PvtAttentionImpl {
 public:
  explicit FocusedAttentionImpl(const PvtAttentionOptions& options);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                        Recorder* recorder) override;

 private:
  Linear query_{nullptr};
};

}  // namespace softscope
