#include "core/attention/DenseMap.h"

#include <algorithm>
#include <utility>

namespace softscope {

DenseMap::DenseMap(AttentionDescription description, MatrixStack values)
    : AttentionMap(std::move(description), values.count(), values.rows(), values.columns()),
      values_(std::move(values)) {}

Vector DenseMap::row(int head, int query) const {
  checkQuery(head, query);
  return values_[head].row(query).transpose();
}

Vector DenseMap::column(int head, int key) const {
  checkKey(head, key);
  return values_[head].col(key);
}

Matrix DenseMap::block(int head, int firstRow, int firstColumn, int rows, int columns) const {
  checkBlock(head, firstRow, firstColumn, rows, columns);
  return values_[head].block(firstRow, firstColumn, rows, columns);
}

Matrix DenseMap::downsampled(int head, int maxSide) const {
  checkHead(head);
  const int rows = std::min(maxSide, description().queries);
  const int columns = std::min(maxSide, description().keys);
  Matrix averages(rows, columns);
  for (int r = 0; r < rows; ++r) {
    const int top = areaBegin(r, rows, description().queries);
    const int height = areaBegin(r + 1, rows, description().queries) - top;
    for (int c = 0; c < columns; ++c) {
      const int left = areaBegin(c, columns, description().keys);
      const int width = areaBegin(c + 1, columns, description().keys) - left;
      averages(r, c) =
          static_cast<float>(values_[head].block(top, left, height, width).cast<double>().mean());
    }
  }
  return averages;
}

}  // namespace softscope
