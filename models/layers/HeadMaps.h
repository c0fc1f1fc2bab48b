#pragma once

#include "core/attention/TokenGrid.h"
#include "models/layers/Layers.h"

#include <torch/types.h>

namespace softscope {

// Operations on the tokens of every head, [B, heads, H W, d], seen as maps of H x W.

/// Averages over r x r windows of stride r; a remainder at the right or bottom is left out: [B,
/// heads, floor(H/r) floor(W/r), d].
torch::Tensor poolHeads(const torch::Tensor& tokens, const TokenGrid& grid, int ratio);

/// Applies a depthwise convolution of `heads` channels, one filter per head, to each of the head's
/// d channels: [B, heads, H' W', d].
torch::Tensor filterHeads(const Convolution& convolution, const torch::Tensor& tokens,
                          const TokenGrid& grid);

/// Applies a depthwise convolution of d channels, one filter for each of a head's channels and the
/// same for every head: [B, heads, H' W', d].
torch::Tensor filterChannels(const Convolution& convolution, const torch::Tensor& tokens,
                             const TokenGrid& grid);

}  // namespace softscope
