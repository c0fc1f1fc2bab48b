#include "core/attention/SumMap.h"

#include "core/Error.h"

#include <string>
#include <utility>

namespace softscope {

namespace {

std::string sumSizeText(const AttentionDescription& attention) {
  return std::to_string(attention.heads) + " heads of " + std::to_string(attention.queries) +
         " x " + std::to_string(attention.keys);
}

}  // namespace

SumMap::SumMap(Term first, Term second)
    : AttentionMap(first->description()), first_(std::move(first)), second_(std::move(second)) {
  const AttentionDescription& other = second_->description();
  if (other.heads != description().heads || other.queries != description().queries ||
      other.keys != description().keys) {
    throw InspectionError("no sum: one map has " + sumSizeText(description()) + ", the other " +
                          sumSizeText(other));
  }
}

Vector SumMap::row(int head, int query) const {
  return first_->row(head, query) + second_->row(head, query);
}

Vector SumMap::column(int head, int key) const {
  return first_->column(head, key) + second_->column(head, key);
}

bool SumMap::columnsReady() const {
  return first_->columnsReady() && second_->columnsReady();
}

void SumMap::prepareColumns(const Progress& progress) const {
  first_->prepareColumns(progress.part(0, 0.5, {}));
  second_->prepareColumns(progress.part(0.5, 1, {}));
}

Matrix SumMap::block(int head, int firstRow, int firstColumn, int rows, int columns) const {
  return first_->block(head, firstRow, firstColumn, rows, columns) +
         second_->block(head, firstRow, firstColumn, rows, columns);
}

Matrix SumMap::averaged(int head, const MatrixPart& part, int maxRows, int maxColumns,
                        const Progress& progress) const {
  return first_->averaged(head, part, maxRows, maxColumns, progress.part(0, 0.5, {})) +
         second_->averaged(head, part, maxRows, maxColumns, progress.part(0.5, 1, {}));
}

}  // namespace softscope
