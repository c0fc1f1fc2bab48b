#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"

namespace softscope {

/// The distance of one attention map from another of the same size.
struct ApproximationError {
  /// |S - S'| / |S|, Frobenius norms.
  double relativeFrobenius = 0;
  /// The least |S - c S'| / |S| over all numbers c: tells whether S' is like S except for its
  /// scale. 1 if S' says nothing about S.
  double rescaledFrobenius = 0;
  /// The largest |S_ij - S'_ij|, and the query i and key j where it occurs.
  double largest = 0;
  int query = 0;
  int key = 0;
};

/// Measures `approximation` against `exact` for one head, e.g. SOFT's Nystrom form against the
/// Gaussian kernel of the same queries (Eq. 5 of "SOFT: Softmax-free Transformer with Linear
/// Complexity", 2021, arXiv 2110.11945). Streams the rows in O(queries keys) time and O(keys)
/// memory; reports progress, may throw Cancelled. Throws InspectionError if the maps' sizes differ.
ApproximationError approximationError(const AttentionMap& exact, const AttentionMap& approximation,
                                      int head, const Progress& progress = {});

}  // namespace softscope
