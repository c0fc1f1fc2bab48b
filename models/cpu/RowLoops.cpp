#include "models/cpu/RowLoops.h"

#include "core/EachProcessor.h"

#include <cmath>

namespace softscope {

namespace {

constexpr std::int64_t lanes = 16;

/// Returns the sum of term(i) for i in 0 ... width - 1, with as many partial sums as fill a vector.
template <typename Term>
[[gnu::always_inline]] inline float sumOf(std::int64_t width, const Term& term) {
  float sums[lanes] = {};
  const std::int64_t whole = width / lanes * lanes;
  for (std::int64_t i = 0; i < whole; i += lanes) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) sums[lane] += term(i + lane);
  }
  for (std::int64_t half = lanes / 2; half > 0; half /= 2) {
    for (std::int64_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  }
  float sum = sums[0];
  for (std::int64_t i = whole; i < width; ++i) sum += term(i);
  return sum;
}

}  // namespace

SOFTSCOPE_FOR_EACH_PROCESSOR
void halfSquares(const float* rows, std::int64_t count, std::int64_t width, float* results) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float* row = rows + i * width;
    results[i] = sumOf(width, [row](std::int64_t at) { return row[at] * row[at]; }) / 2;
  }
}

SOFTSCOPE_FOR_EACH_PROCESSOR
void scaleRows(const float* rows, std::int64_t stride, std::int64_t count, std::int64_t width,
               float factor, float* scaled, float* l1) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float* row = rows + i * stride;
    float* result = scaled + i * width;
    for (std::int64_t at = 0; at < width; ++at) result[at] = row[at] * factor;
    l1[i] = sumOf(width, [row](std::int64_t at) { return std::abs(row[at]); });
  }
}

}  // namespace softscope
