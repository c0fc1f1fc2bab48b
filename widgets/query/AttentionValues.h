#pragma once

#include "core/Matrix.h"
#include "core/attention/AttentionMap.h"
#include "widgets/settings/ViewSettings.h"

#include <optional>
#include <vector>

namespace softscope {

/// What one head answers to one query: a row or a column of its matrix, split into patches and
/// the tokens before them.
struct AttentionValues {
  /// The mean over heads instead of one head.
  static constexpr int meanOfHeads = -1;
  /// Of each entry the one largest in magnitude over heads, with its sign.
  static constexpr int largestOfHeads = -2;

  int head = 0;
  /// Of the patches, row-major; one line of all tokens where they are not patches, and queries x
  /// keys where the whole matrix is shown.
  TokenGrid grid;
  bool onPicture = false;
  Vector patches;
  /// Class and distillation tokens.
  Vector prefix;

  float at(int row, int column) const { return patches[row * grid.width + column]; }
};

/// Looks up one row (or column, for Direction::Columns) of `head`, which may be meanOfHeads or
/// largestOfHeads.
AttentionValues attentionValues(const AttentionMap& map, int head, int token, Direction direction);

/// The same for several; no head is looked up twice.
std::vector<AttentionValues> attentionValues(const AttentionMap& map, const std::vector<int>& heads,
                                             int token, Direction direction);

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

}  // namespace softscope
