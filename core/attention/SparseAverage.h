#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"

#include <algorithm>
#include <vector>

namespace softscope {

/// Averages a part of a matrix of which few entries are not zero over at most `maxRows` x
/// `maxColumns` equal areas, like AttentionMap::averaged(). `forEachKey(query, visit)` calls
/// visit(key, weight) for the entries of a row.
template <typename ForEachKey>
Matrix sparseAverage(const MatrixPart& part, int maxRows, int maxColumns, const Progress& progress,
                     ForEachKey forEachKey) {
  const int rows = std::min(maxRows, part.rows);
  const int columns = std::min(maxColumns, part.columns);
  const auto begins = [](int areas, int length) {
    std::vector<int> firsts(static_cast<std::size_t>(areas) + 1);
    for (int area = 0; area <= areas; ++area) {
      firsts[static_cast<std::size_t>(area)] = AttentionMap::areaBegin(area, areas, length);
    }
    return firsts;
  };
  const std::vector<int> left = begins(columns, part.columns);
  std::vector<int> areaOf(static_cast<std::size_t>(part.columns));
  for (int area = 0; area < columns; ++area) {
    std::fill(areaOf.begin() + left[static_cast<std::size_t>(area)],
              areaOf.begin() + left[static_cast<std::size_t>(area) + 1], area);
  }
  Matrix averages(rows, columns);
  for (int area = 0; area < rows; ++area) {
    progress.throwIfCancelled();
    const int begin = AttentionMap::areaBegin(area, rows, part.rows);
    const int end = AttentionMap::areaBegin(area + 1, rows, part.rows);
    Eigen::RowVectorXd sums = Eigen::RowVectorXd::Zero(columns);
    for (int i = begin; i < end; ++i) {
      forEachKey(part.firstRow + i, [&](int key, float weight) {
        const int column = key - part.firstColumn;
        if (column < 0 || column >= part.columns) return;
        sums[areaOf[static_cast<std::size_t>(column)]] += double(weight);
      });
    }
    for (int c = 0; c < columns; ++c) {
      const auto at = static_cast<std::size_t>(c);
      const double entries = double(end - begin) * (left[at + 1] - left[at]);
      averages(area, c) = static_cast<float>(sums[c] / entries);
    }
  }
  return averages;
}

}  // namespace softscope
