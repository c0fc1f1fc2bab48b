#pragma once

#include "core/inspect/Inspection.h"

#include <optional>

namespace softscope {

/// Entries of the kernel of queries and landmarks above this count as near.
inline constexpr float nearKernel = 0.01F;

/// How far the queries of SOFT and SOFT++ are from their landmarks, and how large an attention that
/// makes. Both are divided by the fourth root of a head's channels before they are compared, so
/// that the kernel is exp(-|q - l|^2 / 2).
struct LandmarkDistance {
  /// Median of |q - l|^2 over all queries and landmarks.
  double median = 0;
  /// Share of the kernel's entries that are above nearKernel, 0 to 1.
  double nearShare = 0;
  /// Median over the queries of the sum of their attention to all keys, which is 1 for a softmax.
  double rowSum = 0;
};

/// Returns the distances of one head, from the kernel P [queries, landmarks] that the network
/// computed. Returns nothing for mechanisms whose landmarks have no Gaussian kernel, and if the
/// median entry is too small for float32 to tell a distance. Throws InspectionError if there is no
/// such head.
std::optional<LandmarkDistance> landmarkDistance(const LayerInspection& layer, int head);

}  // namespace softscope
