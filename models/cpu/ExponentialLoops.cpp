#include "models/cpu/ExponentialLoops.h"

#include "core/EachProcessor.h"

#include <algorithm>
#include <cmath>

namespace softscope {

namespace {

// (1 + tanh u) / 2 = 1 / (1 + exp(-2 u)), with 2 u = x (slope + curve x^2).
constexpr float slope = 1.5957691216F;  // 2 sqrt(2 / pi)
constexpr float curve = slope * 0.044715F;

/// Returns exp(-2 u). For an argument far above `largest` the exponential would be infinite, and
/// fast division by infinity gives NaN; 1 / (1 + exp(largest)) is practically zero anyway.
inline float decay(float x, float largest) {
  return std::exp(std::min(-x * (slope + curve * x * x), largest));
}

}  // namespace

SOFTSCOPE_FOR_EACH_PROCESSOR
void exponentials(float* values, float common, const float* own, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = std::exp(values[i] - common - own[i]);
}

SOFTSCOPE_FOR_EACH_PROCESSOR
void raisedExponentials(const float* x, float shift, float added, float* result,
                        std::int64_t count) {
  // A smaller exponent would give a number that is too small for the processor's fast arithmetic.
  constexpr float least = -87;
  for (std::int64_t i = 0; i < count; ++i) {
    result[i] = std::exp(std::max(x[i] - shift, least)) + added;
  }
}

SOFTSCOPE_FOR_EACH_PROCESSOR
float raisedExponentialGradients(const float* raised, float added, const float* gradient,
                                 float* result, std::int64_t count) {
  float sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    result[i] = gradient[i] * (raised[i] - added);
    sum += result[i];
  }
  return sum;
}

SOFTSCOPE_FOR_EACH_PROCESSOR
void tanhGeluValues(const float* x, float* result, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    result[i] = x[i] / (1 + decay(x[i], 85));
  }
}

SOFTSCOPE_FOR_EACH_PROCESSOR
void tanhGeluGradients(const float* x, const float* gradient, float* result, std::int64_t count) {
  // A compiler that reorders products multiplies the decay by the growth, so their product must be
  // finite.
  constexpr float largest = 75;
  for (std::int64_t i = 0; i < count; ++i) {
    const float rest = decay(x[i], largest);
    const float share = 1 / (1 + rest);
    const float growth = x[i] * (slope + 3 * curve * x[i] * x[i]);
    // rest * share is 1 - share without its rounding error, which a large growth would amplify.
    result[i] = gradient[i] * share * (1 + rest * share * growth);
  }
}

}  // namespace softscope
