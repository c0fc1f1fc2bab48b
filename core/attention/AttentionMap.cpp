#include "core/attention/AttentionMap.h"

#include "core/Error.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace softscope {

namespace {

void checkIndex(const char* what, int index, int count) {
  if (index < 0 || index >= count) {
    throw InspectionError(std::string(what) + " " + std::to_string(index) + " is outside 0 to " +
                          std::to_string(count - 1));
  }
}

std::string mebibytes(std::size_t bytes) {
  return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB";
}

}  // namespace

std::string besideText(const AttentionDescription& description) {
  if (!description.filtersChannels) return description.beside;
  return std::string("a convolution of V with a filter for each channel") +
         (description.gated ? ", and a gate multiplies the sum of both" : "");
}

AttentionMap::AttentionMap(AttentionDescription description)
    : description_(std::move(description)) {}

AttentionMap::AttentionMap(AttentionDescription description, int heads, int queries, int keys)
    : AttentionMap(std::move(description)) {
  description_.heads = heads;
  description_.queries = queries;
  description_.keys = keys;
}

Matrix AttentionMap::whole(int head, std::size_t budgetBytes) const {
  const std::size_t needed = sizeof(float) * static_cast<std::size_t>(description_.queries) *
                             static_cast<std::size_t>(description_.keys);
  if (needed > budgetBytes) {
    throw InspectionError("the whole " + std::to_string(description_.queries) + " x " +
                          std::to_string(description_.keys) + " matrix takes " + mebibytes(needed) +
                          ", more than the budget of " + mebibytes(budgetBytes) +
                          "; ask for single rows");
  }
  return block(head, 0, 0, description_.queries, description_.keys);
}

Matrix AttentionMap::averaged(int head, const MatrixPart& part, int maxRows, int maxColumns,
                              const Progress& progress) const {
  checkBlock(head, part.firstRow, part.firstColumn, part.rows, part.columns);
  const int rows = std::min(maxRows, part.rows);
  const int columns = std::min(maxColumns, part.columns);
  constexpr int blockEntries = 1 << 18;
  const int blockRows = std::max(1, blockEntries / std::max(1, part.columns));
  Matrix averages(rows, columns);
  for (int r = 0; r < rows; ++r) {
    const int begin = areaBegin(r, rows, part.rows);
    const int end = areaBegin(r + 1, rows, part.rows);
    Eigen::RowVectorXd sums = Eigen::RowVectorXd::Zero(part.columns);
    for (int i = begin; i < end; i += blockRows) {
      progress.report(double(i) / part.rows, {});
      sums += block(head, part.firstRow + i, part.firstColumn, std::min(blockRows, end - i),
                    part.columns)
                  .cast<double>()
                  .colwise()
                  .sum();
    }
    for (int c = 0; c < columns; ++c) {
      const int left = areaBegin(c, columns, part.columns);
      const int width = areaBegin(c + 1, columns, part.columns) - left;
      averages(r, c) =
          static_cast<float>(sums.segment(left, width).sum() / (double(end - begin) * width));
    }
  }
  return averages;
}

int AttentionMap::areaBegin(int index, int areas, int length) {
  return static_cast<int>(static_cast<std::int64_t>(index) * length / areas);
}

void AttentionMap::checkHead(int head) const {
  checkIndex("head", head, description_.heads);
}

void AttentionMap::checkQuery(int head, int query) const {
  checkHead(head);
  checkIndex("query", query, description_.queries);
}

void AttentionMap::checkKey(int head, int key) const {
  checkHead(head);
  checkIndex("key", key, description_.keys);
}

void AttentionMap::checkBlock(int head, int firstRow, int firstColumn, int rows,
                              int columns) const {
  checkHead(head);
  if (rows < 0 || columns < 0 || firstRow < 0 || firstColumn < 0 ||
      firstRow > description_.queries - rows || firstColumn > description_.keys - columns) {
    throw InspectionError("block of " + std::to_string(rows) + " x " + std::to_string(columns) +
                          " at (" + std::to_string(firstRow) + ", " + std::to_string(firstColumn) +
                          ") is outside the " + std::to_string(description_.queries) + " x " +
                          std::to_string(description_.keys) + " matrix");
  }
}

}  // namespace softscope
