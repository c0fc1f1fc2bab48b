#pragma once

#include "core/attention/AttentionMap.h"
#include "core/attention/MatrixStack.h"

namespace softscope {

/// Attention stored as full matrices because they are small: class attention (1 x n) and XCA's
/// channel attention (d x d).
class DenseMap final : public AttentionMap {
 public:
  /// `values` is [heads][queries, keys]; the sizes of the description are taken from it.
  DenseMap(AttentionDescription description, MatrixStack values);

  const MatrixStack& values() const { return values_; }

  Vector row(int head, int query) const override;
  Vector column(int head, int key) const override;
  Matrix block(int head, int firstRow, int firstColumn, int rows, int columns) const override;
  std::size_t bytes() const override { return values_.bytes(); }

 private:
  MatrixStack values_;
};

}  // namespace softscope
