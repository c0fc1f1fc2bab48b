#pragma once

#include <cstdint>

namespace softscope {

/// Returns the distance in memory between the rows of a small matrix with `columns` columns,
/// rounded up to whole vectors.
constexpr std::int64_t paddedColumns(std::int64_t columns) {
  return (columns + 15) / 16 * 16;
}

// product = a b for m x m matrices whose rows are paddedColumns(m) apart. No value depends on the
// padding of `a` and `b`; that of the product is undefined. Meant for sizes at which a library call
// costs as much as its product; floats use the widest registers that the processor has, and keep up
// with libraries at larger sizes too. `product` must be neither `a` nor `b`.

void multiplySmall(const float* a, const float* b, float* product, std::int64_t m);
void multiplySmall(const double* a, const double* b, double* product, std::int64_t m);

}  // namespace softscope
