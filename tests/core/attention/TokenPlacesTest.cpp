#include "core/attention/TokenPlaces.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace softscope {
namespace {

using Places = std::vector<std::array<double, 2>>;

/// Looks at every place, and takes the first of the nearest.
int nearestOf(const Places& places, double x, double y, double aspect) {
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

void expectNearest(const Places& places, double aspect) {
  const TokenPlaces found = tokenPlaces(places, aspect);
  ASSERT_EQ(found.nearest.size(), static_cast<std::size_t>(found.raster.count()));
  const int side = found.raster.width;
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      ASSERT_EQ(found.nearest[static_cast<std::size_t>(row * side + column)],
                nearestOf(places, (column + 0.5) / side, (row + 0.5) / side, aspect))
          << places.size() << " places, aspect " << aspect << ", cell " << row << ", " << column;
    }
  }
}

TEST(TokenPlaces, FindsTheNearestOfAnyPlaces) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> anywhere(0, 1);
  for (const std::size_t count : {1u, 2u, 3u, 17u, 200u, 1500u}) {
    Places places(count);
    for (auto& place : places) place = {anywhere(random), anywhere(random)};
    for (const double aspect : {0.3, 1.0, 2.5}) expectNearest(places, aspect);
  }
}

TEST(TokenPlaces, TakesTheFirstOfThoseThatAreEquallyNear) {
  Places grid;
  for (int i = 0; i < 49; ++i) grid.push_back({(i % 7 + 0.5) / 7, (i / 7 + 0.5) / 7});
  grid.insert(grid.end(), grid.begin(), grid.begin() + 20);
  expectNearest(grid, 1);
  expectNearest({{0.5, 0.2}, {0.5, 0.8}, {0.5, 0.2}, {0.5, 0.5}}, 1);
  expectNearest(Places(300, {0.25, 0.75}), 1.5);
  Places circle;
  for (int i = 0; i < 500; ++i) {
    const double angle = i * 0.0125663706;
    circle.push_back({0.5 + 0.4 * std::cos(angle), 0.5 + 0.4 * std::sin(angle)});
  }
  expectNearest(circle, 1);
}

}  // namespace
}  // namespace softscope
