#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"

namespace softscope {

/// How far one attention map is from another of the same size.
struct ApproximationError {
  /// |S - S'| / |S|, Frobenius norms.
  double relativeFrobenius = 0;
  /// The least |S - c S'| / |S| over all numbers c: whether S' is like S but for its scale. 1 where
  /// S' says nothing of S.
  double rescaledFrobenius = 0;
  /// The largest |S_ij - S'_ij|, and where it is.
  double largest = 0;
  int query = 0;
  int key = 0;
};

/// Of `approximation` against `exact`, one head: SOFT's Nystrom form against the Gaussian kernel of
/// the same queries (Eq. 5 of "SOFT: Softmax-free Transformer with Linear Complexity", 2021, arXiv
/// 2110.11945). Streamed, O(queries keys) time and O(keys) memory; reports progress, may throw
/// Cancelled. Throws InspectionError if the maps' sizes differ.
ApproximationError approximationError(const AttentionMap& exact, const AttentionMap& approximation,
                                      int head, const Progress& progress = {});

}  // namespace softscope
