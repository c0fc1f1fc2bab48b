#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"
#include "core/inspect/Inspection.h"

#include <Eigen/Core>

#include <optional>

namespace softscope {

/// Largest number of entries whose magnitudes columnMagnitudes() computes one by one.
inline constexpr double mostSummedEntries = 1 << 30;

/// Returns Σ_i |A_ij| for every key j of a head, [keys]. A factored map without a negative factor
/// takes O(n r), because |A| = A: 1^T A = (1^T L) M R^T. For every other map the rows are computed
/// in blocks and never stored, in O(queries x keys) steps; throws InspectionError if they have more
/// than `mostSummedEntries` entries. May throw Cancelled.
Eigen::VectorXd columnMagnitudes(const AttentionMap& map, int head, const Progress& progress = {});

/// The key that receives most of a head's attention, and how much it receives.
struct AttentionSink {
  /// Column of the map, prefix tokens included; empty if several keys receive equally much, as all
  /// do where attention is uniform or every column has one sum.
  std::optional<int> key;
  /// Σ_i |A_ij| / Σ_ij |A_ij| of that key, over all queries i: 1 / keys if attention is uniform.
  double share = 0;
  /// The share times the number of keys: how often the key has what it would have if attention were
  /// uniform.
  double factor = 0;
  /// True for a token before or behind the patches: class token, distillation token, register.
  /// Empty if such a token and a patch receive equally much.
  std::optional<bool> isPrefix;
  /// |v| of the key over the median |v| of all keys; empty without a key, if V was not recorded or
  /// if the median is zero.
  std::optional<double> valueNorm;
};

/// Returns the sink of a head. Empty if there is a single query or key, if keys are not tokens of
/// the picture (channels), or if all entries are zero or some are not finite. Throws like
/// columnMagnitudes().
std::optional<AttentionSink> attentionSink(const LayerInspection& layer, int head,
                                           const Progress& progress = {});

/// True if a map has keys before or behind the patches, so that a sink may be one of them.
bool hasPrefixKeys(const AttentionDescription& attention);

}  // namespace softscope
