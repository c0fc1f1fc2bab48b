#pragma once

#include "core/attention/TokenGrid.h"

#include <torch/types.h>

namespace softscope {

/// How a table of positions is resized to another grid.
enum class PositionResize {
  /// Bicubic, to the grid's size, without antialiasing: Hugging Face's ViT, DeiT, CLIP, SigLIP and
  /// DINOv2 without registers, and T2T-ViT.
  Plain,
  /// Bicubic, to the grid's size, antialiased, which also makes a difference when enlarging: timm,
  /// OpenCLIP, and DINOv2 with registers.
  Antialiased,
  /// Bicubic, by the factors (height + 0.1) / side and (width + 0.1) / side, sampled at steps of
  /// their inverses: Facebook's DINOv2 without registers.
  Offset,
  /// Bicubic, with the outermost entries in the outermost patches; square grids only: torchvision.
  Aligned,
  /// Bilinear, antialiased: SigLIP 2 for pictures of any shape.
  Bilinear,
};

/// Returns the table [1, prefix + n, C] for `grid`, from a position table [1, prefix + m, C]. The m
/// entries after the prefix are resized if they form a square; otherwise they must already match
/// the grid.
torch::Tensor resizePositions(const torch::Tensor& positions, int prefixTokens,
                              const TokenGrid& grid, PositionResize resize);

/// Returns the side of the square that `positions` entries form, or 0 if they do not form one.
int squareSide(int positions);

}  // namespace softscope
