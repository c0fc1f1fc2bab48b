#pragma once

#include "core/attention/TokenGrid.h"

#include <torch/types.h>

namespace softscope {

/// Whether convolveHeads() is for these: on the CPU, with channels that divide by four and filters
/// of odd sides.
bool canConvolveHeads(const torch::Tensor& value, const torch::Tensor& filters);

/// The convolution beside SOFT's attention on the CPU: every channel of a head's value is convolved
/// with the head's one filter. value [B, heads, n, d], best a view of [B, n, heads * d]; filters
/// [heads, 1, k, k], zeros around. The result has the shape of the value. Differentiable in both.
/// Several times faster than a library's depthwise convolution, which takes the channels one by
/// one.
torch::Tensor convolveHeads(const torch::Tensor& value, const torch::Tensor& filters,
                            const TokenGrid& grid);

}  // namespace softscope
