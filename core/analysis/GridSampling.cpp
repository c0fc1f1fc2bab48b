#include "core/analysis/GridSampling.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace softscope {

namespace {

/// Returns the middle of area `index` if `length` is split into `areas`.
int middleOfArea(int index, int areas, int length) {
  return static_cast<int>((2 * static_cast<std::int64_t>(index) + 1) * length / (2 * areas));
}

/// Returns the part of cell `a` of `cellsA` that lies in cell `b` of `cellsB`, along one side.
double overlap(int a, int cellsA, int b, int cellsB) {
  const double begin = std::max(double(a) / cellsA, double(b) / cellsB);
  const double end = std::min(double(a + 1) / cellsA, double(b + 1) / cellsB);
  return std::max(0.0, end - begin) * cellsA;
}

/// Returns the shares [to, from] along one side.
Eigen::MatrixXd sideShares(int from, int to) {
  Eigen::MatrixXd shares(to, from);
  for (int row = 0; row < to; ++row) {
    for (int column = 0; column < from; ++column) {
      shares(row, column) = overlap(column, from, row, to);
    }
  }
  return shares;
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

Eigen::VectorXd sharedByArea(const Eigen::VectorXd& values, const TokenGrid& from,
                             const TokenGrid& to) {
  if (from == to) return values;
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Rows> grid(values.data(), from.height, from.width);
  const Rows shared =
      sideShares(from.height, to.height) * grid * sideShares(from.width, to.width).transpose();
  return Eigen::Map<const Eigen::VectorXd>(shared.data(), shared.size());
}

TokenGrid pixelGridOf(const PictureRegion& part) {
  return {static_cast<int>(std::lround(part.height)), static_cast<int>(std::lround(part.width))};
}

Eigen::VectorXd laidOver(const PictureRegion& part, const Eigen::VectorXd& values,
                         const TokenGrid& pixels) {
  const TokenGrid to = pixelGridOf(part);
  const auto left = static_cast<int>(std::lround(part.x));
  const auto top = static_cast<int>(std::lround(part.y));
  Eigen::VectorXd laid = Eigen::VectorXd::Zero(to.count());
  const int firstRow = std::max(0, top);
  const int firstColumn = std::max(0, left);
  const int columns = std::min(pixels.width, left + to.width) - firstColumn;
  if (columns <= 0) return laid;
  for (int row = firstRow; row < std::min(pixels.height, top + to.height); ++row) {
    laid.segment((row - top) * to.width + firstColumn - left, columns) =
        values.segment(row * pixels.width + firstColumn, columns);
  }
  return laid;
}

}  // namespace softscope
