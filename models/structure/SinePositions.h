#pragma once

#include "core/attention/TokenGrid.h"

#include <torch/types.h>

#include <cstdint>

namespace softscope {

/// Returns the positions of "Attention Is All You Need" (2017, arXiv 1706.03762), [1, count,
/// channels]: even channels 2 i hold sin(t / 10000^(2 i / channels)), odd ones the cosine.
torch::Tensor sinesOfTokens(std::int64_t count, std::int64_t channels);

/// Returns the positions of patches of "Better plain ViT baselines for ImageNet-1k" (2022, arXiv
/// 2205.01580), [1, grid.count(), channels]: sin x, cos x, sin y, cos y, a quarter of the channels
/// each, of x / 10000^(i / (channels / 4 - 1)). Channels that four does not divide hold zeros.
torch::Tensor sinesOfGrid(const TokenGrid& grid, std::int64_t channels);

}  // namespace softscope
