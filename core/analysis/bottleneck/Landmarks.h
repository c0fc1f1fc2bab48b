#pragma once

#include "core/inspect/Inspection.h"

#include <optional>
#include <vector>

namespace softscope {

/// One landmark as it lies on the picture.
struct LandmarkPlace {
  /// The query patches it was made of.
  std::vector<int> patches;
  /// The middle of them, as fractions of the picture's width and height.
  double x = 0;
  double y = 0;
};

/// Where a layer's landmarks come from: the description's `landmarkTokens` where they were chosen;
/// otherwise square windows, the parameter `ratio` patches a side, where they lie on a grid (SOFT),
/// runs of consecutive tokens where they do not (Nystromformer). Nothing for a layer without
/// landmarks or without patches.
std::optional<std::vector<LandmarkPlace>> landmarkPlaces(const AttentionDescription& description);

/// The landmark at a place given in fractions of the picture: the one whose patches it lies in, or,
/// in patches that are in none, the one whose middle is nearest. -1 where there are none.
int landmarkAt(const std::vector<LandmarkPlace>& places, const TokenGrid& grid, double x, double y);

/// How much every query looks at a landmark: its column of P [queries, landmarks] (in SOFT's
/// Algorithm 1 P is the transpose, m x n) or of the softmax between queries and landmarks
/// (Nystromformer), [queries]. Throws InspectionError where there is no such landmark.
Vector landmarkColumn(const AttentionMap& map, int head, int landmark);

}  // namespace softscope
