#pragma once

#include "core/attention/TokenGrid.h"

#include <array>
#include <vector>

namespace softscope {

/// Tokens that lie on the picture, but not on a grid: superpixels, detected objects. What is drawn
/// of them is the part of the picture that each is nearest to.
struct TokenPlaces {
  /// Left to right and top to bottom, as fractions of what the network saw.
  std::vector<std::array<double, 2>> places;
  /// Cells over what the network saw, fine enough to tell tokens apart.
  TokenGrid raster;
  /// [raster.count()] the token nearest to each cell's centre, row-major.
  std::vector<int> nearest;
};

/// With a raster for a picture `aspect` times as wide as it is high.
TokenPlaces tokenPlaces(std::vector<std::array<double, 2>> places, double aspect);

}  // namespace softscope
