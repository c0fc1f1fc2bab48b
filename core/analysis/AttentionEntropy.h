#pragma once

#include "core/Matrix.h"
#include "core/Progress.h"
#include "core/attention/AttentionMap.h"

#include <optional>

namespace softscope {

/// How widely one query spreads its attention: -sum_k p_k ln p_k in nats, with p_k = |a_k| /
/// sum |a|. The magnitudes are what makes a distribution of attention that may be negative or whose
/// rows do not sum to one. 0 for a single key, ln(keys) for all alike; NaN for a row of zeros.
double rowEntropy(const Vector& row);

/// Every query's entropy, as a map on the picture.
struct EntropyMap {
  /// The queries' grid; a coarser one, evenly sampled, where that has more than 4096 patches.
  TokenGrid grid;
  /// [grid], in nats. Of whole rows, prefix tokens among the keys included.
  Vector entropy;
  /// ln(keys): what attending to all alike would give.
  double largestPossible = 0;
};

/// Nothing where queries are not patches. One row per query; may throw Cancelled.
std::optional<EntropyMap> entropyMap(const AttentionMap& map, int head,
                                     const Progress& progress = {});

/// How widely a head spreads its attention: the mean of that map as a share of ln(keys), in [0, 1].
/// Nothing where queries are not patches, where there is one key, or where all rows are zeros.
std::optional<double> meanEntropyShare(const AttentionMap& map, int head,
                                       const Progress& progress = {});

}  // namespace softscope
