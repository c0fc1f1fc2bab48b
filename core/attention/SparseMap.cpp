#include "core/attention/SparseMap.h"

#include "core/Progress.h"

#include <algorithm>

namespace softscope {

namespace {

/// Returns the first entry of each of `areas` equal areas, and the end of the last one.
std::vector<int> areaBegins(int areas, int length) {
  std::vector<int> begins;
  for (int area = 0; area <= areas; ++area) {
    begins.push_back(AttentionMap::areaBegin(area, areas, length));
  }
  return begins;
}

}  // namespace

template <typename Visit>
void SparseMap::visitEntries(int head, int query, Entries& entries, Visit visit) const {
  entries.keys.clear();
  entries.weights.clear();
  addEntries(head, query, entries);
  for (std::size_t i = 0; i < entries.keys.size(); ++i) visit(entries.keys[i], entries.weights[i]);
}

int SparseMap::keysInside(int query) const {
  checkQuery(0, query);
  Entries inside;
  addEntries(0, query, inside);
  return static_cast<int>(inside.keys.size());
}

int SparseMap::mostKeysInside() const {
  int most = 0;
  for (int query = 0; query < description().queries; ++query)
    most = std::max(most, keysInside(query));
  return most;
}

Vector SparseMap::row(int head, int query) const {
  checkQuery(head, query);
  Vector values = Vector::Zero(description().keys);
  Entries entries;
  visitEntries(head, query, entries, [&](int key, float weight) { values[key] = weight; });
  return values;
}

Matrix SparseMap::block(int head, int firstRow, int firstColumn, int rows, int columns) const {
  checkBlock(head, firstRow, firstColumn, rows, columns);
  Matrix values = Matrix::Zero(rows, columns);
  Entries entries;
  for (int i = 0; i < rows; ++i) {
    visitEntries(head, firstRow + i, entries, [&](int key, float weight) {
      const int column = key - firstColumn;
      if (column >= 0 && column < columns) values(i, column) = weight;
    });
  }
  return values;
}

Matrix SparseMap::averaged(int head, const MatrixPart& part, int maxRows, int maxColumns,
                           const Progress& progress) const {
  checkBlock(head, part.firstRow, part.firstColumn, part.rows, part.columns);
  const int rows = std::min(maxRows, part.rows);
  const int columns = std::min(maxColumns, part.columns);
  const std::vector<int> top = areaBegins(rows, part.rows);
  const std::vector<int> left = areaBegins(columns, part.columns);
  std::vector<int> areaOf(static_cast<std::size_t>(part.columns));
  for (int area = 0; area < columns; ++area) {
    std::fill(areaOf.begin() + left[static_cast<std::size_t>(area)],
              areaOf.begin() + left[static_cast<std::size_t>(area) + 1], area);
  }
  Matrix averages(rows, columns);
  Entries entries;
  for (int area = 0; area < rows; ++area) {
    progress.throwIfCancelled();
    const int begin = top[static_cast<std::size_t>(area)];
    const int end = top[static_cast<std::size_t>(area) + 1];
    Eigen::RowVectorXd sums = Eigen::RowVectorXd::Zero(columns);
    for (int i = begin; i < end; ++i) {
      visitEntries(head, part.firstRow + i, entries, [&](int key, float weight) {
        const int column = key - part.firstColumn;
        if (column < 0 || column >= part.columns) return;
        sums[areaOf[static_cast<std::size_t>(column)]] += double(weight);
      });
    }
    for (int c = 0; c < columns; ++c) {
      const auto at = static_cast<std::size_t>(c);
      const double count = double(end - begin) * (left[at + 1] - left[at]);
      averages(area, c) = static_cast<float>(sums[c] / count);
    }
  }
  return averages;
}

Eigen::VectorXd SparseMap::times(int head, const Eigen::VectorXd& x) const {
  checkHead(head);
  Eigen::VectorXd product = Eigen::VectorXd::Zero(description().queries);
  Entries entries;
  for (int query = 0; query < description().queries; ++query) {
    visitEntries(head, query, entries,
                 [&](int key, float weight) { product[query] += weight * x[key]; });
  }
  return product;
}

Eigen::VectorXd SparseMap::transposedTimes(int head, const Eigen::VectorXd& y) const {
  checkHead(head);
  Eigen::VectorXd product = Eigen::VectorXd::Zero(description().keys);
  Entries entries;
  for (int query = 0; query < description().queries; ++query) {
    visitEntries(head, query, entries,
                 [&](int key, float weight) { product[key] += weight * y[query]; });
  }
  return product;
}

}  // namespace softscope
