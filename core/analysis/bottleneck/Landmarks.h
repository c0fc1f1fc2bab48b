#pragma once

#include "core/inspect/Inspection.h"

#include <optional>
#include <vector>

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

/// The position of one landmark on the picture.
struct LandmarkPlace {
  /// The query patches that the landmark was made of.
  std::vector<int> patches;
  /// The middle of these patches, as fractions of the picture's width and height.
  double x = 0;
  double y = 0;
};

/// Returns the places of a layer's landmarks: the description's `landmarkTokens` if they were
/// chosen; otherwise square windows, as many patches a side as the parameter `ratio`, if they lie
/// on a grid (SOFT), or runs of consecutive tokens if they do not (Nyströmformer). Empty for a
/// layer without landmarks or without patches.
std::optional<std::vector<LandmarkPlace>> landmarkPlaces(const AttentionDescription& description);

/// Returns the landmark at a place given in fractions of the picture: the one whose patches contain
/// the place or, for a patch that belongs to no landmark, the one whose middle is nearest. -1 if
/// there are no landmarks.
int landmarkAt(const std::vector<LandmarkPlace>& places, const TokenGrid& grid, double x, double y);

/// Returns how much every query that is a patch looks at a landmark, or every query if they are not
/// patches: the landmark's column of P [queries, landmarks] (in SOFT's Algorithm 1 P is the
/// transpose, m x n) or of the softmax between queries and landmarks (Nyströmformer). Throws
/// InspectionError if there is no such landmark.
Vector landmarkColumn(const AttentionMap& map, int head, int landmark);

}  // namespace softscope
