#pragma once

#include "core/query/AttentionValues.h"
#include "widgets/settings/ViewSettings.h"

#include <vector>

namespace softscope {

/// What the ends of a heat map's colours stand for.
struct ValueRange {
  float low = 0;
  float high = 1;
  /// Centred at zero, for a diverging map.
  bool centred = false;
  /// Values beyond the ends exist and take the end colours.
  bool clipped = false;

  /// Where `value` lies between the ends, in [0, 1].
  float fraction(float value) const {
    return high > low ? (value - low) / (high - low) : (centred ? 0.5f : 0.0f);
  }

  bool operator==(const ValueRange&) const = default;
};

/// One range per panel, by the view's normalisation. Ranges are centred where any panel holds a
/// negative value that would differ from zero by at least one colour, and magnitudes are not asked
/// for.
std::vector<ValueRange> valueRanges(const std::vector<AttentionValues>& panels,
                                    const ViewSettings& view);

/// Ranges centred at zero, whatever the signs, by the view's normalisation.
std::vector<ValueRange> differenceRanges(const std::vector<AttentionValues>& panels,
                                         const ViewSettings& view);

}  // namespace softscope
