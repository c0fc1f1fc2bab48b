#pragma once

#include "core/attention/AttentionMap.h"
#include "core/image/Picture.h"
#include "core/model/PictureRegion.h"
#include "core/query/Direction.h"
#include "core/query/PictureQuery.h"

#include <optional>
#include <string>

namespace softscope {

/// A patch of a token grid.
struct Patch {
  int row = 0;
  int column = 0;

  bool operator==(const Patch&) const = default;
};

/// What the network saw of a picture. A default one stands for an input without a picture: the
/// whole of it was seen.
struct PictureExtent {
  int width = 1;
  int height = 1;
  PictureRegion region{0, 0, 1, 1};

  PictureExtent() = default;
  PictureExtent(const Picture& picture, const PictureRegion& seen);
};

/// The part of a picture that was seen; the whole of nothing without a picture.
PictureExtent extentOf(const Picture* picture, const PictureRegion& region);

/// The patch of `grid` nearest to a place on the picture; places outside what the network saw give
/// a patch of the border.
Patch patchAt(const TokenGrid& grid, const PictureExtent& extent, const PictureQuery& query);

/// Whether a place lies outside what the network saw, so that another patch answers for it.
bool isOutside(const PictureExtent& extent, const PictureQuery& query);

/// The centre of a patch. patchAt() of it is the patch again.
PictureQuery queryAt(const TokenGrid& grid, const PictureExtent& extent, const Patch& patch);

/// Class token, distillation token and registers among the queries, and among the keys.
int queryPrefix(const AttentionDescription& attention);
int keyPrefix(const AttentionDescription& attention);

/// The row of the attention matrix that a query means, or, read by columns, the column. Where the
/// tokens are not patches (a class token alone, channels) it is the first.
int queryToken(const AttentionDescription& attention, const PictureExtent& extent,
               const PictureQuery& query, Direction direction = Direction::Rows);

/// The grid that a query is chosen on: the queries' for rows, the keys' for columns. Of tokens that
/// lie on none, the raster over their places.
std::optional<TokenGrid> chosenGrid(const AttentionDescription& attention, Direction direction);
/// The grid that the answer lies on: the other one.
std::optional<TokenGrid> answerGrid(const AttentionDescription& attention, Direction direction);

/// Neither queries nor keys are patches, as in channel attention: there is no place to ask about,
/// and all of the matrix is shown at once.
bool showsWholeMatrix(const AttentionDescription& attention);

/// `class token`, `register 2`: a token before the patches.
std::string prefixTokenName(const AttentionDescription& attention, int token);

/// `patch (12, 7)`, `class token`, `token 5`, `channel 3`: a row (for Direction::Columns a column)
/// of the matrix.
std::string singleTokenName(const AttentionDescription& attention, Direction direction, int token);

/// `patch (12, 7)`, `class token`, `all channels` where the whole matrix is shown.
std::string tokenName(const AttentionDescription& attention, Direction direction, int token);

}  // namespace softscope
