#pragma once

#include <ATen/ATen.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace softscope {

/// Returns true if the faster code for inference on the CPU may use a tensor: if it is in the CPU's
/// memory, in float32, not empty, and needs no gradient.
inline bool isInferredOnCpu(const torch::Tensor& tensor) {
  return tensor.is_cpu() && tensor.scalar_type() == torch::kFloat32 && tensor.numel() > 0 &&
         !(at::GradMode::is_enabled() && tensor.requires_grad());
}

/// Returns true if every number of the tensors, some of which may be undefined, is finite. The sum
/// tells, so it also returns false if that is too large for float32.
inline bool areFinite(const std::vector<torch::Tensor>& tensors) {
  return std::all_of(tensors.begin(), tensors.end(), [](const torch::Tensor& tensor) {
    return !tensor.defined() || std::isfinite(tensor.sum().item<double>());
  });
}

}  // namespace softscope
