#include "core/analysis/EntryRange.h"

#include "core/attention/Mechanism.h"
#include "core/attention/RowBlocks.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace softscope {

double EntryRange::largestMagnitude() const {
  return std::max(std::abs(smallest), std::abs(largest));
}

bool EntryRange::isSigned() const {
  return smallest < -largestMagnitude() / 128;
}

EntryRange entryRange(const AttentionMap& map, int head, const Progress& progress) {
  map.checkHead(head);
  constexpr double infinite = std::numeric_limits<double>::infinity();
  EntryRange range{infinite, -infinite};
  forEachRowBlock(map, head, progress, [&](int, const Matrix& rows) {
    if (rows.hasNaN()) range = {-infinite, infinite};
    range.smallest = std::min<double>(range.smallest, rows.minCoeff());
    range.largest = std::max<double>(range.largest, rows.maxCoeff());
  });
  return range;
}

std::optional<double> entryBound(const AttentionDescription& attention) {
  const Mechanism* mechanism = findMechanism(attention.mechanism);
  const auto channels = attention.parameters.find("D");
  if (mechanism == nullptr || !mechanism->normalisesChannels ||
      channels == attention.parameters.end()) {
    return std::nullopt;
  }
  return channels->second;
}

}  // namespace softscope
