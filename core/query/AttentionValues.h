#pragma once

#include "core/Matrix.h"
#include "core/attention/AttentionMap.h"
#include "core/query/Direction.h"

#include <memory>
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
  /// keys where the whole matrix is shown. Of tokens with places of their own, the raster: each of
  /// its cells has the value of the nearest token.
  TokenGrid grid;
  bool onPicture = false;
  /// Where the grid is the raster of tokens with places of their own: these; else null.
  std::shared_ptr<const TokenPlaces> places;
  Vector patches;
  /// Class and distillation tokens.
  Vector prefix;

  float at(int row, int column) const { return patches[row * grid.width + column]; }
};

/// Looks up one row (or column, for Direction::Columns) of `head`, which may be meanOfHeads or
/// largestOfHeads.
AttentionValues attentionValues(const AttentionMap& map, int head, int token, Direction direction);

/// Looks up one row (or column) of each of `heads`; no head is looked up twice.
std::vector<AttentionValues> attentionValues(const AttentionMap& map, const std::vector<int>& heads,
                                             int token, Direction direction);

}  // namespace softscope
