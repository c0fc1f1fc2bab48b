#pragma once

#include "core/attention/TokenGrid.h"

#include <torch/types.h>

namespace softscope {

struct SwinConfiguration;

/// The windows of one block on a grid of tokens.
struct SwinWindows {
  TokenGrid window;
  TokenGrid shift{0, 0};
  /// True if the grid is padded after it was shifted, as in timm; otherwise before.
  bool padsAfterShift = false;
  /// Number of times that -100 is added to the scores between tokens of a window that lie on
  /// different sides of the picture: Hugging Face's Swin V2 adds it twice.
  int masks = 1;
};

/// The tokens of each window, and what keeps apart tokens that the shift brought together.
struct WindowTokens {
  /// The token of each place in each window, [windows, places], row-major; -1 for padding.
  torch::Tensor tokens;
  /// The place of each token among all places of all windows, [n].
  torch::Tensor places;
  /// Added to the scores of a shifted block, [windows, 1, places, places]; undefined without a
  /// shift.
  torch::Tensor mask;

  bool isPadded() const { return tokens.numel() > places.numel(); }
};

/// Divides a grid into windows: the grid is padded at the bottom and at the right to a multiple of
/// the window, and rolled up and to the left by the shift.
WindowTokens windowTokens(const TokenGrid& grid, const SwinWindows& windows,
                          const torch::Device& device);

/// Returns, for each pair of places in a window, the entry of its relative position in a table of
/// (2 h - 1) (2 w - 1) positions: [places * places], int64.
torch::Tensor relativePlaces(const TokenGrid& window, const torch::Device& device);

/// Returns the windows of block `block` (from 0) in stage `stage` (from 0) on a grid, as the
/// library whose names the network has computes them.
SwinWindows swinWindows(const SwinConfiguration& configuration, int stage, int block,
                        const TokenGrid& grid);

}  // namespace softscope
