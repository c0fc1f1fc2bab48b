#pragma once

#include "core/Matrix.h"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace softscope {

/// Returns matrix * weights, [rows], in float32, as fast as the memory that holds the matrix is
/// read: a click on many tokens takes as long as that. Eigen's product is compiled for every
/// processor's registers alone, and takes twice as long.
Vector rowProducts(const Eigen::Map<const Matrix>& matrix, const Vector& weights);

/// A read-only stack of row-major matrices of one size, one per head, in memory with shared
/// ownership. Copies share the memory.
class MatrixStack {
 public:
  using View = Eigen::Map<const Matrix>;

  MatrixStack() = default;
  /// `values` points to count * rows * columns floats.
  MatrixStack(std::shared_ptr<const float> values, int count, int rows, int columns)
      : values_(std::move(values)), count_(count), rows_(rows), columns_(columns) {}
  /// Copies the matrices, which all have the same size.
  explicit MatrixStack(const std::vector<Matrix>& matrices);

  View operator[](int index) const {
    return View(values_.get() + static_cast<std::size_t>(index) * rows_ * columns_, rows_,
                columns_);
  }
  int count() const { return count_; }
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  bool empty() const { return count_ == 0; }
  std::size_t bytes() const {
    return sizeof(float) * static_cast<std::size_t>(count_) * rows_ * columns_;
  }
  bool sharesMemoryWith(const MatrixStack& other) const { return values_ == other.values_; }

 private:
  std::shared_ptr<const float> values_;
  int count_ = 0;
  int rows_ = 0;
  int columns_ = 0;
};

}  // namespace softscope
