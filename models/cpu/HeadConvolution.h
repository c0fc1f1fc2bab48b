#pragma once

#include "core/attention/TokenGrid.h"

#include <torch/types.h>

namespace softscope {

/// Returns true if convolveHeads() supports these tensors: on the CPU, with channels divisible by
/// four and filters with odd sides.
bool canConvolveHeads(const torch::Tensor& value, const torch::Tensor& filters);

/// Computes the convolution beside SOFT's attention on the CPU: convolves every channel of a head's
/// value with the head's single filter. `value` is [B, heads, n, d], preferably a view of [B, n,
/// heads * d]; `filters` is [heads, 1, k, k], with zero padding. The result has the shape of the
/// value. Differentiable in both. Several times faster than a library's depthwise convolution,
/// which processes channels one by one.
torch::Tensor convolveHeads(const torch::Tensor& value, const torch::Tensor& filters,
                            const TokenGrid& grid);

}  // namespace softscope
