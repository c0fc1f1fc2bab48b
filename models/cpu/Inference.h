#pragma once

#include <ATen/ATen.h>
#include <torch/types.h>

namespace softscope {

/// Returns true if the faster code for inference on the CPU may use a tensor: if it is in the CPU's
/// memory, in float32, not empty, and needs no gradient.
inline bool isInferredOnCpu(const torch::Tensor& tensor) {
  return tensor.is_cpu() && tensor.scalar_type() == torch::kFloat32 && tensor.numel() > 0 &&
         !(at::GradMode::is_enabled() && tensor.requires_grad());
}

}  // namespace softscope
