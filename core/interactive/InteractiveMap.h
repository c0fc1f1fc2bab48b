#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"
#include "core/attention/MatrixStack.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <limits>
#include <optional>

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

/// A map as a page holds it: what the page's script computes rows and columns from.
struct InteractiveMap {
  /// `{"kind": "factored" | "kernel" | "dense" | "blocks" | "stencil" | "sum", ...}` with the
  /// matrices of storedStack(); resources/interactive/maps.js computes with them.
  nlohmann::ordered_json json;
  /// Characters of the JSON text.
  std::size_t bytes = 0;
  /// The largest difference from the layer's own row of an entry computed from the stored numbers,
  /// as a fraction of the largest magnitude in its row; over `rows` rows of each head.
  double error = 0;
  int rows = 0;
  /// Rows of those, over all heads, with entries that are not finite.
  int rowsNotFinite = 0;
  /// The smallest finite entry of those rows, and the smallest and largest sum of those that are
  /// finite.
  double lowest = 0;
  double smallestSum = 0;
  double largestSum = 0;
};

/// The largest InteractiveMap::error of a map that is stored well: the distance of two neighbouring
/// float16 numbers.
inline constexpr double pagePrecision = 1.0 / 1024;
/// The largest InteractiveMap::error of a map that has to be stored in little room, which is less
/// than the eye tells apart in a colour bar.
inline constexpr double coarsePagePrecision = 1.0 / 128;

/// Returns the number of characters that the entries of a map take if all are stored.
std::size_t denseBytes(const AttentionDescription& description);

/// Returns a map with what it is computed from (factors, queries and keys, blocks, filters), or
/// with all its entries if those are fewer. Each number is one float16, or two if the error would
/// otherwise exceed `largestError`; the smallest form that is precise enough is taken. Returns
/// nothing for a map that is not computed from such, and if no form is precise enough. Throws
/// Cancelled.
std::optional<InteractiveMap> compactMap(const AttentionMap& map, const Progress& progress = {},
                                         double largestError = pagePrecision);

/// Returns a map with all its entries, for which `denseBytes()` tells whether they fit. Each is one
/// float16, or two if the error would otherwise exceed `largestError` and they take no more than
/// `room` bytes. Returns nothing if neither is precise enough. Throws Cancelled.
std::optional<InteractiveMap> denseMap(const AttentionMap& map, const Progress& progress = {},
                                       double largestError = pagePrecision,
                                       std::size_t room = std::numeric_limits<std::size_t>::max());

}  // namespace softscope
