#pragma once

#include <torch/types.h>

namespace softscope {

/// Queries or keys of every head, times a factor.
struct ScaledHeads {
  torch::Tensor scaled;  ///< [B, heads, n, d]
  torch::Tensor l1;      ///< L1 norms before that: [B, heads, n], or undefined
};

/// Of heads [B, heads, n, d]; the norms where they are asked for. In an inference on the CPU every
/// head's tokens lie together in memory then: what multiplies them, keeps them or makes maps of
/// them would have copied them so. Differentiable.
ScaledHeads scaleHeads(const torch::Tensor& heads, double factor, bool withNorms);

}  // namespace softscope
