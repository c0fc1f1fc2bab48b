#include "models/ExponentialLoops.h"

#include "models/EachProcessor.h"

#include <algorithm>
#include <cmath>

namespace softscope {

namespace {

// (1 + tanh u) / 2 = 1 / (1 + exp(-2 u)), with 2 u = x (slope + curve x^2).
constexpr float slope = 1.5957691216F;  // 2 sqrt(2 / pi)
constexpr float curve = slope * 0.044715F;

/// The exponential of much more is infinite, and the fast quotient of infinity not a number;
/// 1 / (1 + exp(largest)) is nought as it is.
constexpr float largest = 85;

inline float sigmoid(float x) {
  return 1 / (1 + std::exp(std::min(-x, largest)));
}

}  // namespace

SOFTSCOPE_FOR_EACH_PROCESSOR
void exponentials(float* values, float common, const float* own, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = std::exp(values[i] - common - own[i]);
}

SOFTSCOPE_FOR_EACH_PROCESSOR
void tanhGeluValues(const float* x, float* result, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    result[i] = x[i] * sigmoid(x[i] * (slope + curve * x[i] * x[i]));
  }
}

SOFTSCOPE_FOR_EACH_PROCESSOR
void tanhGeluGradients(const float* x, const float* gradient, float* result, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float square = x[i] * x[i];
    const float share = sigmoid(x[i] * (slope + curve * square));
    const float growth = x[i] * (slope + 3 * curve * square);
    result[i] = gradient[i] * share * (1 + (1 - share) * growth);
  }
}

}  // namespace softscope
