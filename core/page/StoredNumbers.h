#pragma once

#include "core/Matrix.h"
#include "core/attention/MatrixStack.h"

#include <nlohmann/json.hpp>

#include <cstddef>

namespace softscope {

/// How precisely a page stores a number: as one float16, or as the sum of two, which keeps 22 bits
/// instead of 11.
enum class StoredPrecision { Half = 1, TwoHalves = 2 };

/// Matrices as a page stores them, and what its script reads back.
struct StoredStack {
  /// `{"shape": [count, rows, columns], "scale": s, "high": base64, "low": base64}` with float16 in
  /// little endian; an entry is s (high + low / 2048). Without `low` if one float16 suffices. The
  /// scale is a power of two.
  nlohmann::ordered_json json;
  MatrixStack rounded;
};

/// Rounds matrices to what a page stores. Not finite values stay what they are.
StoredStack storedStack(const MatrixStack& stack, StoredPrecision precision);

/// Returns the approximate number of bytes of text that storedStack() takes for `numbers` values.
std::size_t storedBytes(std::size_t numbers, StoredPrecision precision);

}  // namespace softscope
