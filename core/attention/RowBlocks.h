#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"

#include <algorithm>

namespace softscope {

/// Calls visit(firstRow, rows) for a head's whole matrix, a few rows [count, keys] at a time. Meant
/// for sums over a matrix that is never stored. Throws Cancelled between two blocks.
template <typename Visit>
void forEachRowBlock(const AttentionMap& map, int head, const Progress& progress, Visit visit) {
  constexpr int blockEntries = 1 << 18;
  const int queries = map.description().queries;
  const int keys = map.description().keys;
  const int blockRows = std::clamp(blockEntries / std::max(keys, 1), 1, 256);
  for (int first = 0; first < queries; first += blockRows) {
    progress.throwIfCancelled();
    visit(first, map.block(head, first, 0, std::min(blockRows, queries - first), keys));
  }
}

}  // namespace softscope
