#pragma once

#include <vector>

namespace softscope {

/// Which panels a figure shows of a layer: single heads, then summaries of all of them.
struct ShownHeads {
  bool single = true;
  /// The single heads, counted from 0; empty for all.
  std::vector<int> heads;
  /// The mean over heads.
  bool mean = false;
  /// Of every entry the largest in magnitude over heads.
  bool largest = false;
};

}  // namespace softscope
