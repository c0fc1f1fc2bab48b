#include "core/query/DifferenceValues.h"

#include "core/Error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace softscope {
namespace {

/// Returns the share of each of `ontoCells` cells over [ontoBegin, ontoBegin + ontoLength) that
/// each of `cells` cells over [begin, begin + length) covers: [ontoCells, cells].
Matrix overlaps(double begin, double length, int cells, double ontoBegin, double ontoLength,
                int ontoCells) {
  Matrix shares(ontoCells, cells);
  for (int i = 0; i < ontoCells; ++i) {
    const double from = ontoBegin + ontoLength * i / ontoCells;
    const double to = ontoBegin + ontoLength * (i + 1) / ontoCells;
    for (int j = 0; j < cells; ++j) {
      const double left = std::max(from, begin + length * j / cells);
      const double right = std::min(to, begin + length * (j + 1) / cells);
      // An overlap below the rounding error counts as none.
      shares(i, j) = right - left > 1e-9 * (to - from) ? float((right - left) / (to - from)) : 0.0f;
    }
  }
  return shares;
}

/// Returns shares times values, [ontoCells, columns]. A product would spread a value that is not
/// finite over every cell, because 0 times it is not finite either.
Matrix sharedOut(const Matrix& shares, const Matrix& values) {
  Matrix sums = Matrix::Zero(shares.rows(), values.cols());
  for (Eigen::Index onto = 0; onto < shares.rows(); ++onto) {
    for (Eigen::Index cell = 0; cell < shares.cols(); ++cell) {
      if (shares(onto, cell) > 0) sums.row(onto) += shares(onto, cell) * values.row(cell);
    }
  }
  return sums;
}

double patchArea(const LocatedValues& located) {
  return located.region.width * located.region.height / located.values.grid.count();
}

void normalise(AttentionValues& values) {
  float largest = 0;
  for (const float value : values.patches) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  if (largest == 0) return;
  values.patches /= largest;
  values.prefix /= largest;
}

void subtract(AttentionValues& from, const AttentionValues& other) {
  from.patches -= other.patches;
  // A weight that one of both gives makes a difference.
  if (from.outside.size() != other.outside.size()) from.outside.clear();
  for (std::size_t i = 0; i < from.outside.size(); ++i) {
    from.outside[i] = from.outside[i] && other.outside[i];
  }
  if (from.prefix.size() == other.prefix.size()) {
    from.prefix -= other.prefix;
  } else {
    from.prefix.resize(0);
  }
}

}  // namespace

LocatedValues resampled(const LocatedValues& from, const TokenGrid& grid,
                        const PictureRegion& region) {
  const TokenGrid& own = from.values.grid;
  if (own == grid && from.region == region) return from;
  const Matrix down =
      overlaps(from.region.y, from.region.height, own.height, region.y, region.height, grid.height);
  const Matrix across =
      overlaps(from.region.x, from.region.width, own.width, region.x, region.width, grid.width);
  const Eigen::Map<const Matrix> values(from.values.patches.data(), own.height, own.width);
  const Matrix onto = sharedOut(down, sharedOut(across, values.transpose()).transpose());

  LocatedValues result = from;
  result.region = region;
  result.values.grid = grid;
  result.values.outside.clear();
  result.values.patches.resize(grid.count());
  for (int row = 0; row < grid.height; ++row) {
    for (int column = 0; column < grid.width; ++column) {
      const float covered = down.row(row).sum() * across.row(column).sum();
      result.values.patches[row * grid.width + column] =
          covered > 0 ? onto(row, column) / covered : std::numeric_limits<float>::quiet_NaN();
    }
  }
  return result;
}

bool isCoarser(const LocatedValues& first, const LocatedValues& second) {
  return first.values.onPicture && second.values.onPicture && patchArea(second) < patchArea(first);
}

LocatedValues difference(const LocatedValues& first, const LocatedValues& second, bool normalised) {
  if (first.values.onPicture != second.values.onPicture) {
    throw InspectionError(
        "no difference: the values of one layer lie on the picture's patches, the other's do not");
  }
  LocatedValues minuend = first;
  LocatedValues subtrahend = second;
  if (normalised) {
    normalise(minuend.values);
    normalise(subtrahend.values);
  }
  if (!first.values.onPicture) {
    if (first.values.patches.size() != second.values.patches.size()) {
      throw InspectionError(
          "no difference: one layer answers with " + std::to_string(first.values.patches.size()) +
          " values, the other with " + std::to_string(second.values.patches.size()));
    }
  } else if (isCoarser(first, second)) {
    minuend = resampled(minuend, second.values.grid, second.region);
  } else {
    subtrahend = resampled(subtrahend, first.values.grid, first.region);
  }
  subtract(minuend.values, subtrahend.values);
  return minuend;
}

}  // namespace softscope
