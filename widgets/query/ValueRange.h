#pragma once

#include "core/query/AttentionValues.h"
#include "widgets/settings/ViewSettings.h"

#include <cmath>
#include <vector>

namespace softscope {

/// The values that the ends of a heat map's colours stand for.
struct ValueRange {
  float low = 0;
  float high = 1;
  /// True if the range is centred at zero, for a diverging map.
  bool centred = false;
  /// True if some values lie beyond the ends and take the end colours.
  bool clipped = false;
  /// True if some values lie above the upper end and take its colour; none need lie below the
  /// lower.
  bool exceeded = false;
  /// True if no value is finite; the ends, both 0, then stand for none.
  bool isEmpty = false;

  /// Returns where `value` lies between the ends, in [0, 1] unless it lies beyond them. A value
  /// that is not finite is returned as it is: it has no colour.
  float fraction(float value) const {
    if (!std::isfinite(value)) return value;
    return high > low ? (value - low) / (high - low) : (centred ? 0.5f : 0.0f);
  }

  bool operator==(const ValueRange&) const = default;
};

/// Returns one range per panel, chosen by the view's normalisation. Ranges are centred at zero if
/// any panel holds negative values, as isSignedRange() tells, or is known to stand beside a head
/// that does, unless the view asks for magnitudes.
std::vector<ValueRange> valueRanges(const std::vector<AttentionValues>& panels,
                                    const ViewSettings& view);

/// Returns one range per panel, chosen by the view's normalisation and always centred at zero.
std::vector<ValueRange> differenceRanges(const std::vector<AttentionValues>& panels,
                                         const ViewSettings& view);

}  // namespace softscope
