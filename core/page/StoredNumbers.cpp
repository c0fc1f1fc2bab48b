#include "core/page/StoredNumbers.h"

#include "core/files/Base64.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>

namespace softscope {

namespace {

/// The second float16 holds the rest times this: neighbouring float16 are 2^-11 of their size or
/// more apart.
constexpr float lowScale = 2048;

/// Returns the power of two that makes the largest magnitude use most of float16's range.
float scaleOf(const float* values, std::size_t count) {
  constexpr int highestExponent = 15;
  float largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isfinite(values[i])) largest = std::max(largest, std::abs(values[i]));
  }
  if (largest == 0) return 1;
  int exponent = 0;
  std::frexp(largest, &exponent);
  // Beyond these, the power itself or its inverse would be no ordinary float32.
  return std::ldexp(1.0f, std::clamp(exponent - highestExponent, -126, 126));
}

void appendHalf(std::string& bytes, Eigen::half half) {
  const auto bits = Eigen::numext::bit_cast<std::uint16_t>(half);
  bytes += static_cast<char>(bits & 0xff);
  bytes += static_cast<char>(bits >> 8);
}

}  // namespace

std::size_t storedBytes(std::size_t numbers, StoredPrecision precision) {
  return numbers * static_cast<std::size_t>(precision) * sizeof(std::uint16_t) * 4 / 3;
}

StoredStack storedStack(const MatrixStack& stack, StoredPrecision precision) {
  const std::size_t count = stack.bytes() / sizeof(float);
  const float* values = count == 0 ? nullptr : stack[0].data();
  const float scale = scaleOf(values, count);
  const bool two = precision == StoredPrecision::TwoHalves;
  std::string high;
  std::string low;
  high.reserve(count * sizeof(std::uint16_t));
  // An array that the stack shares.
  const std::shared_ptr<float[]> rounded(new float[count]);
  for (std::size_t i = 0; i < count; ++i) {
    const float value = values[i] / scale;
    const Eigen::half first(value);
    appendHalf(high, first);
    rounded[i] = static_cast<float>(first);
    if (two) {
      const float rest = std::isfinite(value) ? (value - rounded[i]) * lowScale : 0;
      const Eigen::half second(rest);
      appendHalf(low, second);
      rounded[i] += static_cast<float>(second) / lowScale;
    }
    rounded[i] *= scale;
  }
  StoredStack stored;
  stored.json["shape"] = {stack.count(), stack.rows(), stack.columns()};
  stored.json["scale"] = scale;
  stored.json["high"] = base64(high);
  if (two) stored.json["low"] = base64(low);
  stored.rounded = MatrixStack(std::shared_ptr<const float>(rounded, rounded.get()), stack.count(),
                               stack.rows(), stack.columns());
  return stored;
}

}  // namespace softscope
