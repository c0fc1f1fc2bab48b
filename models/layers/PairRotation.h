#pragma once

#include "core/attention/TokenGrid.h"

#include <torch/types.h>

namespace softscope {

// Rotary position embedding ("RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021,
// arXiv 2104.09864): channels 2i and 2i + 1 of a token are turned as a pair, by an angle that its
// place gives.

/// The cosines and sines of the angles of all tokens, [n, w / 2] each.
struct PairAngles {
  torch::Tensor cosine;
  torch::Tensor sine;
};

/// x [..., n, w] with each pair of channels turned by its angle.
torch::Tensor rotatePairs(const torch::Tensor& x, const PairAngles& angles);

/// Angles of the tokens of a grid, [n, 2 r] for `rates` [r]: the first r pairs turn by a rate for
/// each row that a token is away from the first, the others likewise by column.
PairAngles gridAngles(const torch::Tensor& rates, const TokenGrid& grid);

}  // namespace softscope
