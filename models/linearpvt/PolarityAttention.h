#pragma once

#include "models/linearpvt/PvtAttention.h"

namespace softscope {

/// Polarity-aware linear attention of "PolaFormer: Polarity-aware Linear Attention for Vision
/// Transformers", 2025. From queries and keys divided by softplus(scale), it computes x+ =
/// relu(x)^e and x- = relu(-x)^e with e = 1 + 4 sigmoid(power). Every head has two maps of the form
/// A_ij = f_i . g_j / n_k / (f_i . mean g + 1e-6) with g = [k+, k-]: one of equal signs, f = [q+,
/// q-], multiplies the first half of V's channels, and one of opposite signs, f = [q-, q+], the
/// rest. They are recorded as heads 2i and 2i + 1. A gate multiplies the sum of both and of the
/// convolution beside them.
class PolarityAttentionImpl : public PvtAttentionImpl {
 public:
  explicit PolarityAttentionImpl(const PvtAttentionOptions& options);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                        Recorder* recorder) override;

 private:
  Linear queryGate_{nullptr};
  torch::Tensor power_;
};

}  // namespace softscope
