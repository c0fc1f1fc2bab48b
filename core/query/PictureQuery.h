#pragma once

#include <optional>
#include <vector>

namespace softscope {

/// A place on the original picture that is asked about. It is a fraction of the picture, not a
/// patch, so that it stays in place when the layer changes.
struct PictureQuery {
  /// Fractions from the left and from the top, in [0, 1].
  double x = 0.5;
  double y = 0.5;
  /// Index of a token before the patches to ask about instead, in layers that have a token with
  /// this index: 0 is the class token if there is one, followed by a distillation token and
  /// registers.
  std::optional<int> prefixToken = {};

  bool operator==(const PictureQuery&) const = default;
};

/// The panels that a figure shows for a layer: single heads, then summaries of all heads.
struct ShownHeads {
  bool single = true;
  /// The single heads, counted from 0; empty for all.
  std::vector<int> heads;
  /// Show the mean over heads.
  bool mean = false;
  /// Show the entry with the largest magnitude over heads.
  bool largest = false;
};

/// The direction in which an attention matrix is read.
enum class Direction {
  Rows,     ///< what a patch attends to
  Columns,  ///< who attends to a patch
};

}  // namespace softscope
