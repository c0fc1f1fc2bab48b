#pragma once

#include <ATen/ATen.h>
#include <torch/types.h>

namespace softscope {

/// Whether a tensor may take the faster ways that an inference on the CPU has: in the CPU's memory,
/// in float32, not empty, and without a gradient that is wanted.
inline bool isInferredOnCpu(const torch::Tensor& tensor) {
  return tensor.is_cpu() && tensor.scalar_type() == torch::kFloat32 && tensor.numel() > 0 &&
         !(at::GradMode::is_enabled() && tensor.requires_grad());
}

}  // namespace softscope
