#include "core/attention/DenseMap.h"

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

}  // namespace softscope
