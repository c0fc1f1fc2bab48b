#include "core/attention/MatrixPart.h"

#include <algorithm>
#include <cmath>

namespace softscope {

bool MatrixFraction::isInside() const {
  constexpr double rounding = 1e-9;
  return left >= 0 && top >= 0 && width > 0 && height > 0 && left + width <= 1 + rounding &&
         top + height <= 1 + rounding;
}

MatrixPart matrixPart(const MatrixFraction& fraction, int queries, int keys) {
  // Tolerance for the rounding error of a fraction times a size.
  constexpr double rounding = 1e-6;
  const auto along = [](double from, double length, int count, int& first, int& size) {
    first = std::clamp(static_cast<int>(std::floor(from * count + rounding)), 0, count - 1);
    const int end = static_cast<int>(std::ceil((from + length) * count - rounding));
    size = std::clamp(end, first + 1, count) - first;
  };
  MatrixPart part;
  along(fraction.top, fraction.height, queries, part.firstRow, part.rows);
  along(fraction.left, fraction.width, keys, part.firstColumn, part.columns);
  return part;
}

}  // namespace softscope
