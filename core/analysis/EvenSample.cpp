#include "core/analysis/EvenSample.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace softscope {

namespace {

/// Returns the middle of area `index` if `length` is split into `areas`.
int middleOfArea(int index, int areas, int length) {
  return static_cast<int>((2 * static_cast<std::int64_t>(index) + 1) * length / (2 * areas));
}

}  // namespace

TokenGrid sampledGrid(const TokenGrid& grid, int most) {
  if (grid.count() <= most) return grid;
  const double scale = std::sqrt(static_cast<double>(most) / grid.count());
  const int height = std::clamp(static_cast<int>(grid.height * scale), 1, most);
  return {height, std::min(grid.width, most / height)};
}

int sampledPatch(const TokenGrid& grid, const TokenGrid& sample, int index) {
  const int row = middleOfArea(index / sample.width, sample.height, grid.height);
  const int column = middleOfArea(index % sample.width, sample.width, grid.width);
  return row * grid.width + column;
}

}  // namespace softscope
