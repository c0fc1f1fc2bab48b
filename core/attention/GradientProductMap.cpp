#include "core/attention/GradientProductMap.h"

#include "core/Error.h"

#include <utility>

namespace softscope {

namespace {

bool fits(const MatrixStack& stack, int heads, int rows) {
  return stack.count() == heads && stack.rows() == rows;
}

}  // namespace

GradientProductMap::GradientProductMap(std::shared_ptr<const AttentionMap> attention,
                                       MatrixStack gradient, MatrixStack value, Logit logit)
    : AttentionMap(attention->description()),
      attention_(std::move(attention)),
      gradient_(std::move(gradient)),
      value_(std::move(value)),
      logit_(std::move(logit)) {
  const AttentionDescription& of = description();
  if (!fits(gradient_, of.heads, of.queries) || !fits(value_, of.heads, of.keys) ||
      gradient_.columns() != value_.columns()) {
    throw InspectionError(
        "the layer's heads do not multiply V by one matrix each, so that no gradient of the "
        "matrix's entries follows from that of their product");
  }
}

Vector GradientProductMap::row(int head, int query) const {
  Vector row = attention_->row(head, query);
  row.array() *= (value_[head] * gradient_[head].row(query).transpose()).array();
  return row;
}

Vector GradientProductMap::column(int head, int key) const {
  Vector column = attention_->column(head, key);
  column.array() *= (gradient_[head] * value_[head].row(key).transpose()).array();
  return column;
}

Matrix GradientProductMap::block(int head, int firstRow, int firstColumn, int rows,
                                 int columns) const {
  Matrix block = attention_->block(head, firstRow, firstColumn, rows, columns);
  block.array() *= (gradient_[head].middleRows(firstRow, rows) *
                    value_[head].middleRows(firstColumn, columns).transpose())
                       .array();
  return block;
}

}  // namespace softscope
