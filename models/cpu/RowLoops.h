#pragma once

#include <cstdint>

namespace softscope {

// Sums along short rows of plain arrays, which a library call would add up row by row.

/// results[i] = |row i|^2 / 2 for `count` contiguous rows of `width` numbers.
void halfSquares(const float* rows, std::int64_t count, std::int64_t width, float* results);

/// Copies `count` rows of `width` numbers, `stride` apart, to contiguous rows, multiplied by
/// `factor`; l1[i] is the L1 norm of row i before that.
void scaleRows(const float* rows, std::int64_t stride, std::int64_t count, std::int64_t width,
               float factor, float* scaled, float* l1);

}  // namespace softscope
