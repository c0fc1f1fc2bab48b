#pragma once

#include "core/Matrix.h"
#include "core/Progress.h"
#include "core/attention/AttentionMap.h"

#include <optional>

namespace softscope {

/// Returns how far a head looks, in pixels of the network's input, as in "An Image is Worth 16x16
/// Words", 2020, arXiv 2010.11929: the mean over queries of sum_k |a_qk| dist(q, k) / sum_k |a_qk|,
/// where dist is measured between the patches' centres; `height` and `width` are the sides of what
/// the grids cover, in those pixels (Inspection::covered()). Keys may lie on a coarser grid than
/// queries. Prefix tokens count neither as queries nor as keys; queries that attend to no patch are
/// skipped. If there are more than 512 query patches, at most 512 of them are used, spread evenly
/// over the picture.
///
/// Empty if queries or keys are not patches (channel attention, or only a class token), if all
/// weights between patches are zero, or if one of them is not finite.
std::optional<double> attentionDistance(const AttentionMap& map, int head, double height,
                                        double width, const Progress& progress = {});

/// Returns whether every query can see every key, as it cannot within windows.
bool seesAllKeys(const AttentionMap& map);

/// Returns the attentionDistance() of a head that attends to all patches evenly; empty unless every
/// query of `map` can see every key.
std::optional<double> uniformDistance(const AttentionMap& map, double height, double width);

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

/// Returns how many keys a query can attend to at most: within windows, those of the largest; of a
/// filter, those that it reaches.
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
