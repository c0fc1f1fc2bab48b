#pragma once

#include "core/Matrix.h"
#include "core/Progress.h"
#include "core/attention/AttentionMap.h"

#include <optional>

namespace softscope {

/// Returns how widely one query spreads its attention: -sum_k p_k ln p_k in nats, with p_k = |a_k|
/// / sum |a|. Taking magnitudes gives a distribution even if attention is negative in part or its
/// rows do not sum to one. 0 for a single key, ln(keys) if all entries are alike, NaN for a row of
/// zeros.
double rowEntropy(const Vector& row);

/// The entropy of every query, as a map on the picture.
struct EntropyMap {
  /// The queries' grid, or a coarser, evenly sampled one if there are more than 4096 patches.
  TokenGrid grid;
  /// [grid] Entropy of each query's whole row, in nats; the keys include the prefix tokens.
  Vector entropy;
  /// ln(keys): the entropy of a query that attends to all keys alike; within windows, to all keys
  /// of the largest window.
  double largestPossible = 0;
  /// False if some of the weights are infinite or NaN.
  bool isFinite = true;
};

/// Returns how many keys a query can attend to at most: within windows, those of the largest.
int mostKeys(const AttentionMap& map);

/// Returns the entropy map of a head, computed from one row per query; empty if queries are not
/// patches. May throw Cancelled.
std::optional<EntropyMap> entropyMap(const AttentionMap& map, int head,
                                     const Progress& progress = {});

/// Returns how widely a head spreads its attention: the mean of its entropyMap() as a share of
/// the largest possible entropy, in [0, 1]; rows of zeros are left out. Empty if queries are not
/// patches, if there is only one key, if all rows are zeros, or if a weight is not finite.
std::optional<double> meanEntropyShare(const AttentionMap& map, int head,
                                       const Progress& progress = {});

}  // namespace softscope
