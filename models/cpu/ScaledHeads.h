#pragma once

#include <torch/types.h>

namespace softscope {

/// Queries or keys of every head, multiplied by a factor.
struct ScaledHeads {
  torch::Tensor scaled;  ///< [B, heads, n, d]
  torch::Tensor l1;      ///< L1 norms before scaling: [B, heads, n], or undefined
};

/// Scales heads [B, heads, n, d]; computes the norms if `withNorms`. In an inference on the CPU,
/// the result has every head's tokens contiguous in memory, because products, records and maps of
/// them would otherwise have to copy them. Differentiable.
ScaledHeads scaleHeads(const torch::Tensor& heads, double factor, bool withNorms);

}  // namespace softscope
