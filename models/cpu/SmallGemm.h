#pragma once

#include <cstdint>

namespace softscope {

/// How far apart the rows of a small matrix of so many columns lie in memory: whole vectors.
constexpr std::int64_t paddedColumns(std::int64_t columns) {
  return (columns + 15) / 16 * 16;
}

// product = a b of m x m matrices whose rows lie paddedColumns(m) apart; no value depends on the
// padding of `a` and `b`, and the product's may be left as it was. For sizes at which a library's
// call costs as much as its product; of floats in the widest registers that the processor has.
// `product` may be neither `a` nor `b`.

void multiplySmall(const float* a, const float* b, float* product, std::int64_t m);
void multiplySmall(const double* a, const double* b, double* product, std::int64_t m);

}  // namespace softscope
