#pragma once

#include "core/Matrix.h"
#include "core/attention/AttentionMap.h"
#include "core/query/PictureQuery.h"

#include <memory>
#include <vector>

namespace softscope {

/// One head's answer to one query: a row or a column of its matrix, split into patches and the
/// tokens before them.
struct AttentionValues {
  /// Value of `head` for the mean over heads.
  static constexpr int meanOfHeads = -1;
  /// Value of `head` for the entry with the largest magnitude over heads, with its sign.
  static constexpr int largestOfHeads = -2;

  int head = 0;
  /// The grid of `patches`, row-major: a single line of all tokens if they are not patches, queries
  /// x keys if the whole matrix is shown, and the raster for tokens with places of their own, in
  /// which each cell has the value of the nearest token.
  TokenGrid grid;
  bool onPicture = false;
  /// The tokens' own places if the grid is their raster; null otherwise.
  std::shared_ptr<const TokenPlaces> places;
  Vector patches;
  /// For each patch, whether it is outside of the window that attention was computed in; empty if
  /// there are no windows. The matrix that multiplies V holds zeros there.
  std::vector<bool> outside = {};
  /// Values of the class token and the other tokens before the patches.
  Vector prefix;
  /// True if another head of the layer, one that is not shown, is known to answer the same query
  /// with negative values. The colours are then those of signed values, as beside that head.
  bool isBesideSigned = false;

  float at(int row, int column) const { return patches[row * grid.width + column]; }
  bool isOutside(int row, int column) const {
    return !outside.empty() && outside[static_cast<std::size_t>(row * grid.width + column)];
  }
  /// Returns the patches' values without those outside of the window: all if there are no windows.
  Vector inside() const;
};

/// True if values from `smallest` to `largest` are drawn as signed, as EntryRange::isSigned()
/// tells.
bool isSignedRange(float smallest, float largest);

/// Looks up one row (or column, for Direction::Columns) of `head`, which may be meanOfHeads or
/// largestOfHeads.
AttentionValues attentionValues(const AttentionMap& map, int head, int token, Direction direction);

/// Looks up one row (or column) of each of `heads`; no head is looked up twice.
std::vector<AttentionValues> attentionValues(const AttentionMap& map, const std::vector<int>& heads,
                                             int token, Direction direction);

// One map for all heads. `heads` holds, for each head, the row of one query or the column of one
// key; there is at least one, and all are equally long. Values are used as they are, so that a head
// with larger numbers counts for more, as it does in the network.

/// Returns the signed mean over heads of each entry.
Vector meanOverHeads(const std::vector<Vector>& heads);

/// Returns for each entry the value with the largest magnitude over heads, with its sign. For
/// attention that is never negative this is the maximum.
Vector largestOverHeads(const std::vector<Vector>& heads);

}  // namespace softscope
