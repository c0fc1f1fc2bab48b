#include "core/attention/MatrixStack.h"

#include "core/EachProcessor.h"

#include <cassert>
#include <cstdint>
#include <cstring>

namespace softscope {

namespace {

using Vector16 [[gnu::vector_size(16 * sizeof(float))]] = float;
using Vector8 [[gnu::vector_size(8 * sizeof(float))]] = float;
using Vector4 [[gnu::vector_size(4 * sizeof(float))]] = float;

constexpr std::int64_t lanes = 16;

// Vectors are handed on by reference: how they would be returned depends on the processor.

[[gnu::always_inline]] inline void load(const float* from, Vector16& values) {
  std::memcpy(&values, from, sizeof values);
}

/// Sums every fourth lane.
[[gnu::always_inline]] inline void addLanes(const Vector16& v, Vector4& sums) {
  const Vector8 half = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
                       __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
  sums = __builtin_shufflevector(half, half, 0, 1, 2, 3) +
         __builtin_shufflevector(half, half, 4, 5, 6, 7);
}

/// Sums each of four vectors.
[[gnu::always_inline]] inline void addUp(const Vector16* vectors, Vector4& sums) {
  Vector4 a, b, c, d;
  addLanes(vectors[0], a);
  addLanes(vectors[1], b);
  addLanes(vectors[2], c);
  addLanes(vectors[3], d);
  const Vector4 ab =
      __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Vector4 cd =
      __builtin_shufflevector(c, d, 0, 4, 1, 5) + __builtin_shufflevector(c, d, 2, 6, 3, 7);
  sums = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

/// The products of four rows, so that their sums do not wait for each other.
[[gnu::always_inline]] inline void multiplyFour(const float* rows, std::int64_t columns,
                                                const float* weights, float* products) {
  const std::int64_t whole = columns / lanes * lanes;
  Vector16 sums[4] = {};
  for (std::int64_t k = 0; k < whole; k += lanes) {
    Vector16 weight;
    load(weights + k, weight);
#pragma GCC unroll 4
    for (int row = 0; row < 4; ++row) {
      Vector16 values;
      load(rows + row * columns + k, values);
      sums[row] += values * weight;
    }
  }
  Vector4 total;
  addUp(sums, total);
  for (std::int64_t k = whole; k < columns; ++k) {
    const Vector4 last = {rows[k], rows[columns + k], rows[2 * columns + k], rows[3 * columns + k]};
    total += last * weights[k];
  }
  std::memcpy(products, &total, sizeof total);
}

SOFTSCOPE_FOR_EACH_PROCESSOR void multiplyRows(const float* matrix, std::int64_t rows,
                                               std::int64_t columns, const float* weights,
                                               float* products) {
  constexpr std::int64_t together = 4;
  std::int64_t row = 0;
  for (; row + together <= rows; row += together) {
    multiplyFour(matrix + row * columns, columns, weights, products + row);
  }
  for (; row < rows; ++row) {
    float product = 0;
    for (std::int64_t k = 0; k < columns; ++k) product += matrix[row * columns + k] * weights[k];
    products[row] = product;
  }
}

}  // namespace

Vector rowProducts(const Eigen::Map<const Matrix>& matrix, const Vector& weights) {
  assert(matrix.cols() == weights.size());
  Vector products(matrix.rows());
  multiplyRows(matrix.data(), matrix.rows(), matrix.cols(), weights.data(), products.data());
  return products;
}

MatrixStack::MatrixStack(const std::vector<Matrix>& matrices)
    : count_(static_cast<int>(matrices.size())),
      rows_(matrices.empty() ? 0 : static_cast<int>(matrices.front().rows())),
      columns_(matrices.empty() ? 0 : static_cast<int>(matrices.front().cols())) {
  auto values = std::make_shared<std::vector<float>>();
  values->reserve(bytes() / sizeof(float));
  for (const Matrix& matrix : matrices) {
    assert(matrix.rows() == rows_ && matrix.cols() == columns_);
    values->insert(values->end(), matrix.data(), matrix.data() + matrix.size());
  }
  values_ = std::shared_ptr<const float>(values, values->data());
}

}  // namespace softscope
