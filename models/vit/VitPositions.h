#pragma once

#include "core/attention/TokenGrid.h"

#include <torch/types.h>

namespace softscope {

/// How the positions of patches rotate their queries and keys ("RoFormer: Enhanced Transformer with
/// Rotary Position Embedding", 2021, arXiv 2104.09864). Half of a head's angles are those of the
/// row, half those of the column.
struct RotaryPositions {
  enum class Form {
    None,
    /// DINOv3: positions in [-1, 1] of patch centres; angle 2 pi y / period; channel i is rotated
    /// with channel i + d / 2.
    Halves,
    /// EVA-02: positions i / side times `reference`, on both axes; channel 2 i is rotated with
    /// 2 i + 1.
    Pairs,
  };
  /// The sides that the positions of Halves are divided by: each axis by its own, or both by the
  /// longer or the shorter one.
  enum class Normalization { Separate, Max, Min };

  Form form = Form::None;
  double base = 100;
  Normalization normalization = Normalization::Separate;
  /// The type that the authors' code computes in from positions to rotated queries and keys; each
  /// result is rounded to it.
  torch::ScalarType precision = torch::kFloat32;
  /// Side of the grid that the positions of Pairs are stretched to, whatever the picture's; 0 for
  /// positions i.
  int reference = 16;

  /// Returns the cosines and sines for a grid, [2, n, d], in which every channel has its own.
  /// `periods` [d / 4] replace those that follow from `base`, base^(4 j / d), if they are defined.
  torch::Tensor angles(const TokenGrid& grid, int headWidth, const torch::Tensor& periods,
                       const torch::TensorOptions& options) const;
  /// Rotates all tokens after the first `prefixTokens` of x [B, heads, n, d]. The others are
  /// rounded alike.
  torch::Tensor rotate(const torch::Tensor& x, const torch::Tensor& angles, int prefixTokens) const;

 private:
  bool isRounded() const { return precision != torch::kFloat32; }
  torch::Tensor rounded(const torch::Tensor& x) const {
    return isRounded() ? x.to(precision).to(torch::kFloat32) : x;
  }
  torch::Tensor anglesAlong(int count, const TokenGrid& grid, const torch::Tensor& lengths) const;
};

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

}  // namespace softscope
