#pragma once

#include <vector>

namespace softscope {

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

}  // namespace softscope
