#include "core/attention/StencilMap.h"

#include "core/Error.h"
#include "core/attention/SparseAverage.h"

#include <algorithm>
#include <utility>

namespace softscope {

namespace {

AttentionDescription onGrid(AttentionDescription description, const MatrixStack& filters) {
  if (!description.queryGrid || filters.rows() % 2 == 0 || filters.rows() != filters.columns()) {
    throw InspectionError("a convolution of " + std::to_string(filters.rows()) + " x " +
                          std::to_string(filters.columns()) +
                          " is no matrix on the patches; odd sides and a grid are needed");
  }
  description.keyGrid = description.queryGrid;
  return description;
}

int patchesOf(const AttentionDescription& description) {
  return description.queryGrid ? description.queryGrid->count() : 0;
}

}  // namespace

StencilMap::StencilMap(AttentionDescription description, MatrixStack filters)
    : ProductMap(onGrid(description, filters), filters.count(), patchesOf(description),
                 patchesOf(description)),
      filters_(std::move(filters)) {}

template <typename Visit>
void StencilMap::forEachKey(int head, int query, Visit visit) const {
  const auto filter = filters_[head];
  const auto side = static_cast<int>(filter.rows());
  const TokenGrid patches = grid();
  const int top = query / patches.width - side / 2;
  const int left = query % patches.width - side / 2;
  for (int a = std::max(0, -top); a < std::min(side, patches.height - top); ++a) {
    for (int b = std::max(0, -left); b < std::min(side, patches.width - left); ++b) {
      visit((top + a) * patches.width + left + b, filter(a, b));
    }
  }
}

Vector StencilMap::row(int head, int query) const {
  checkQuery(head, query);
  Vector values = Vector::Zero(description().keys);
  forEachKey(head, query, [&](int key, float weight) { values[key] = weight; });
  return values;
}

Vector StencilMap::column(int head, int key) const {
  checkKey(head, key);
  // Seen from a key, its queries lie where the rotated filter points.
  const auto filter = filters_[head];
  const auto last = static_cast<int>(filter.rows()) - 1;
  const TokenGrid patches = grid();
  const int bottom = key / patches.width + last / 2;
  const int right = key % patches.width + last / 2;
  Vector values = Vector::Zero(description().queries);
  for (int a = 0; a <= last; ++a) {
    for (int b = 0; b <= last; ++b) {
      const int row = bottom - a;
      const int column = right - b;
      if (row < 0 || row >= patches.height || column < 0 || column >= patches.width) continue;
      values[row * patches.width + column] = filter(a, b);
    }
  }
  return values;
}

Matrix StencilMap::block(int head, int firstRow, int firstColumn, int rows, int columns) const {
  checkBlock(head, firstRow, firstColumn, rows, columns);
  Matrix values = Matrix::Zero(rows, columns);
  for (int i = 0; i < rows; ++i) {
    forEachKey(head, firstRow + i, [&](int key, float weight) {
      const int column = key - firstColumn;
      if (column >= 0 && column < columns) values(i, column) = weight;
    });
  }
  return values;
}

Eigen::VectorXd StencilMap::times(int head, const Eigen::VectorXd& x) const {
  checkHead(head);
  Eigen::VectorXd product = Eigen::VectorXd::Zero(description().queries);
  for (int query = 0; query < description().queries; ++query) {
    forEachKey(head, query, [&](int key, float weight) { product[query] += weight * x[key]; });
  }
  return product;
}

Eigen::VectorXd StencilMap::transposedTimes(int head, const Eigen::VectorXd& y) const {
  checkHead(head);
  Eigen::VectorXd product = Eigen::VectorXd::Zero(description().keys);
  for (int query = 0; query < description().queries; ++query) {
    forEachKey(head, query, [&](int key, float weight) { product[key] += weight * y[query]; });
  }
  return product;
}

Matrix StencilMap::averaged(int head, const MatrixPart& part, int maxRows, int maxColumns,
                            const Progress& progress) const {
  checkBlock(head, part.firstRow, part.firstColumn, part.rows, part.columns);
  return sparseAverage(part, maxRows, maxColumns, progress,
                       [&](int query, auto visit) { forEachKey(head, query, visit); });
}

}  // namespace softscope
