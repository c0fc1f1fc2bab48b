#pragma once

#include "core/attention/AttentionMap.h"
#include "core/image/Picture.h"
#include "core/model/InputTransform.h"
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

/// The part of a picture that the network saw. The default stands for an input without a picture,
/// which was seen as a whole.
struct PictureExtent {
  int width = 1;
  int height = 1;
  PictureRegion region{0, 0, 1, 1};

  PictureExtent() = default;
  PictureExtent(const Picture& picture, const PictureRegion& seen);
};

/// Returns the extent of `region` of a picture; the default one if `picture` is null.
PictureExtent extentOf(const Picture* picture, const PictureRegion& region);

/// Returns the patch of `grid` nearest to a place on the picture; places outside the part that the
/// network saw give a patch at the border.
Patch patchAt(const TokenGrid& grid, const PictureExtent& extent, const PictureQuery& query);

/// Returns a query whose place is a fraction of the part that the network saw instead of the
/// picture; between 0 and 1 if it lies in that part.
PictureQuery withinSeen(const PictureExtent& extent, PictureQuery query);

/// True if a place lies outside the part that the network saw, so that another patch answers for
/// it.
bool isOutside(const PictureExtent& extent, const PictureQuery& query);

/// Returns the centre of a patch; patchAt() of it returns the patch again.
PictureQuery queryAt(const TokenGrid& grid, const PictureExtent& extent, const Patch& patch);

/// Return the number of tokens before the patches (class token, distillation token and registers)
/// among the queries and among the keys.
int queryPrefix(const AttentionDescription& attention);
int keyPrefix(const AttentionDescription& attention);
/// Returns how many queries (or keys, for columns) are no patches of the grid: those before the
/// patches, then those behind them. A PictureQuery's `prefixToken` counts them.
int singleTokens(const AttentionDescription& attention, Direction direction);
/// Returns the row (or column) of the single token that `prefixToken` counts.
int singleTokenPlace(const AttentionDescription& attention, Direction direction, int prefixToken);
/// Returns the PictureQuery::prefixToken that counts a row (or column); nothing for a patch.
std::optional<int> singleTokenAt(const AttentionDescription& attention, Direction direction,
                                 int place);
/// Returns the `prefixToken` that is the class token; nothing if none of them is.
std::optional<int> classToken(const AttentionDescription& attention, Direction direction);

/// Returns the row of the attention matrix that a query refers to, or, for Direction::Columns, the
/// column. The first one if the tokens are not patches (only a class token, or channels) and the
/// query names none of them.
int queryToken(const AttentionDescription& attention, const PictureExtent& extent,
               const PictureQuery& query, Direction direction = Direction::Rows);

/// Returns the grid that a query is chosen on: the queries' grid for rows, the keys' for columns.
/// For tokens that lie on no grid, the raster over their places.
std::optional<TokenGrid> chosenGrid(const AttentionDescription& attention, Direction direction);
/// Returns the grid that the answer lies on: the keys' grid for rows, the queries' for columns.
std::optional<TokenGrid> answerGrid(const AttentionDescription& attention, Direction direction);

/// True if neither queries nor keys are patches, as in channel attention: there is no place to ask
/// about, and the whole matrix is shown at once.
bool showsWholeMatrix(const AttentionDescription& attention);

/// Returns the name of a token before the patches: `class token`, `register 2`.
std::string prefixTokenName(const AttentionDescription& attention, int token);

/// Returns the name of a row of the matrix (for Direction::Columns, of a column): `patch (12, 7)`,
/// `class token`, `token 5`, `channel 3`.
std::string singleTokenName(const AttentionDescription& attention, Direction direction, int token);

/// Returns the name of what a query refers to: `patch (12, 7)`, `class token`, or `all channels` if
/// the whole matrix is shown.
std::string tokenName(const AttentionDescription& attention, Direction direction, int token);

}  // namespace softscope
