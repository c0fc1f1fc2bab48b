#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"

#include <optional>

namespace softscope {

/// The smallest and the largest entry of a head's matrix.
struct EntryRange {
  double smallest = 0;
  double largest = 0;

  double largestMagnitude() const;
  /// True if the smallest is below zero by more than a 128th of the largest magnitude, which is one
  /// colour of a diverging map.
  bool isSigned() const;
};

/// Returns the range of one head's entries, in one pass over its rows, a few at a time: O(queries
/// keys) times the cost of an entry, in memory that does not grow with queries and keys. Entries
/// that are not finite count as infinite. Throws InspectionError if there is no such head; may
/// throw Cancelled.
EntryRange entryRange(const AttentionMap& map, int head, const Progress& progress = {});

/// Returns the bound on the magnitude of the entries if queries and keys are divided by their
/// channels' norms: D, the number of channels of a head ("SimA: Simple Softmax-free Attention for
/// Vision Transformers", 2022, arXiv 2206.08898, Section 2.2). The bound is reached if only one
/// query and one key differ from zero. Empty for other mechanisms.
std::optional<double> entryBound(const AttentionDescription& attention);

}  // namespace softscope
