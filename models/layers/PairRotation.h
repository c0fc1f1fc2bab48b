#pragma once

#include "core/attention/TokenGrid.h"

#include <torch/types.h>

namespace softscope {

// Rotary position embedding ("RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021,
// arXiv 2104.09864): channels 2i and 2i + 1 of a token are rotated as a pair, by an angle that
// depends on its position.

/// The cosines and sines of the angles of all tokens, [n, w / 2] each.
struct PairAngles {
  torch::Tensor cosine;
  torch::Tensor sine;
};

/// Returns x [..., n, w] with each pair of channels rotated by its angle.
torch::Tensor rotatePairs(const torch::Tensor& x, const PairAngles& angles);

/// Returns the angles of the tokens of a grid, [n, 2 r] for `rates` [r]: the first r pairs are
/// rotated by their rate for each row of distance from the first row, the others likewise for each
/// column.
PairAngles gridAngles(const torch::Tensor& rates, const TokenGrid& grid);

}  // namespace softscope
