#pragma once

#include <cstdint>

namespace softscope {

// Sums along short rows on plain arrays, which a library's call adds up one row after the other.

/// results[i] = |row i|^2 / 2 of `count` rows of `width` numbers, one behind the other.
void halfSquares(const float* rows, std::int64_t count, std::int64_t width, float* results);

/// Copies `count` rows of `width` numbers, `stride` apart, to rows one behind the other, times
/// `factor`; l1[i] is the L1 norm of row i before that.
void scaleRows(const float* rows, std::int64_t stride, std::int64_t count, std::int64_t width,
               float factor, float* scaled, float* l1);

}  // namespace softscope
