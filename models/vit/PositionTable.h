#pragma once

#include "core/attention/TokenGrid.h"

#include <torch/types.h>

namespace softscope {

/// How a table of positions is brought to another grid; all of them are bicubic.
enum class PositionResize {
  /// To the grid's size, without antialiasing: Hugging Face's ViT, DeiT and DINOv2 without
  /// registers, T2T-ViT.
  Plain,
  /// To the grid's size, antialiased, which differs when enlarging, too: timm, and DINOv2 with
  /// registers.
  Antialiased,
  /// By the factors (height + 0.1) / side and (width + 0.1) / side, sampled at steps of their
  /// inverses: Facebook's DINOv2 without registers.
  Offset,
};

/// A position table [1, prefix + m, C] for `grid`: [1, prefix + n, C]. The m entries after the
/// prefix are resized if they make a square, and lie as the picture does otherwise.
torch::Tensor resizePositions(const torch::Tensor& positions, int prefixTokens,
                              const TokenGrid& grid, PositionResize resize);

/// Side of the square that `positions` entries make, or 0 if they make none.
int squareSide(int positions);

}  // namespace softscope
