#pragma once

#include "core/attention/TokenGrid.h"

#include <array>
#include <cstddef>
#include <vector>

namespace softscope {

/// Tokens that lie on the picture but not on a grid, such as superpixels or detected objects. Each
/// is drawn as the part of the picture that is nearest to it.
struct TokenPlaces {
  /// Positions (x, y) as fractions of the part that the network saw, from its left and its top.
  std::vector<std::array<double, 2>> places;
  /// Grid over the part that the network saw, fine enough to tell tokens apart.
  TokenGrid raster;
  /// The token nearest to the centre of each cell, row-major: [raster.count()].
  std::vector<int> nearest;
};

/// Builds the raster and the nearest tokens for a picture `aspect` times as wide as it is high.
TokenPlaces tokenPlaces(std::vector<std::array<double, 2>> places, double aspect);

/// Returns the number of steps that tokenPlaces() takes for `places` places.
std::size_t workOfTokenPlaces(std::size_t places);

}  // namespace softscope
