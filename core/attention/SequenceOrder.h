#pragma once

#include "core/attention/AttentionMap.h"

namespace softscope {

/// Returns the attention of the token at `place` in the network's own sequence to every token in
/// that sequence's order, where map.row() has the prefix tokens first.
inline Vector rowInSequence(const AttentionMap& map, int head, int place) {
  const AttentionDescription& description = map.description();
  const Vector row = map.row(head, tokenInSequence(description, place));
  if (description.patchesBeforePrefix == 0) return row;
  return Vector::NullaryExpr(row.size(), [&](Eigen::Index key) {
    return row[tokenInSequence(description, static_cast<int>(key))];
  });
}

}  // namespace softscope
