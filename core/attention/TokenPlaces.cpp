#include "core/attention/TokenPlaces.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace softscope {

namespace {

constexpr int fewestPlaceCells = 64;
constexpr int mostPlaceCells = 256;
constexpr double cellsBetweenTokens = 8;

int nearestPlace(const std::vector<std::array<double, 2>>& places, double x, double y,
                 double aspect) {
  int nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double across = (places[i][0] - x) * aspect;
    const double down = places[i][1] - y;
    const double distance = across * across + down * down;
    if (distance >= least) continue;
    least = distance;
    nearest = static_cast<int>(i);
  }
  return nearest;
}

}  // namespace

TokenPlaces tokenPlaces(std::vector<std::array<double, 2>> places, double aspect) {
  const double wanted = cellsBetweenTokens * std::sqrt(double(places.size()));
  const int side =
      std::clamp(static_cast<int>(std::ceil(wanted)), fewestPlaceCells, mostPlaceCells);
  TokenPlaces result{std::move(places), {side, side}, {}};
  result.nearest.reserve(static_cast<std::size_t>(result.raster.count()));
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      result.nearest.push_back(
          nearestPlace(result.places, (column + 0.5) / side, (row + 0.5) / side, aspect));
    }
  }
  return result;
}

}  // namespace softscope
