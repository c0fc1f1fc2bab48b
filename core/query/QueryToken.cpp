#include "core/query/QueryToken.h"

#include "core/attention/Mechanism.h"

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

/// A computed border may be off by rounding.
constexpr double borderRounding = 1e-9;

/// Returns the cell that a place lies in. A border belongs to the cell behind it, whatever rounding
/// makes of it: the regions of two models may give one place as 0.5 and as 0.49999999999999994.
int cell(double fraction, int cells) {
  const double place = std::floor(fraction * cells + borderRounding);
  return std::clamp(static_cast<int>(place), 0, cells - 1);
}

using Places = std::shared_ptr<const TokenPlaces>;

const Places& chosenPlaces(const AttentionDescription& attention, Direction direction) {
  return direction == Direction::Rows ? attention.queryPlaces : attention.keyPlaces;
}

std::optional<TokenGrid> gridOrRaster(const std::optional<TokenGrid>& grid, const Places& places) {
  return places ? places->raster : grid;
}

int prefixOf(const AttentionDescription& attention, int tokens,
             const std::optional<TokenGrid>& grid) {
  return grid ? std::max(0, tokens - grid->count() - attention.suffixTokens)
              : std::min(attention.prefixTokens, tokens);
}

}  // namespace

PictureExtent::PictureExtent(const Picture& picture, const PictureRegion& seen) {
  if (picture.width <= 0 || picture.height <= 0) return;
  width = picture.width;
  height = picture.height;
  region = seen;
}

PictureExtent extentOf(const Picture* picture, const PictureRegion& region) {
  return picture ? PictureExtent(*picture, region) : PictureExtent();
}

Patch patchAt(const TokenGrid& grid, const PictureExtent& extent, const PictureQuery& query) {
  const PictureQuery seen = withinSeen(extent, query);
  return {cell(seen.y, grid.height), cell(seen.x, grid.width)};
}

PictureQuery withinSeen(const PictureExtent& extent, PictureQuery query) {
  const PictureRegion& region = extent.region;
  query.x = (query.x * extent.width - region.x) / region.width;
  query.y = (query.y * extent.height - region.y) / region.height;
  return query;
}

bool isOutside(const PictureExtent& extent, const PictureQuery& query) {
  const auto [x, y, token] = withinSeen(extent, query);
  return x < -borderRounding || y < -borderRounding || x > 1 + borderRounding ||
         y > 1 + borderRounding;
}

PictureQuery queryAt(const TokenGrid& grid, const PictureExtent& extent, const Patch& patch) {
  const PictureRegion& region = extent.region;
  return {(region.x + region.width * (patch.column + 0.5) / grid.width) / extent.width,
          (region.y + region.height * (patch.row + 0.5) / grid.height) / extent.height};
}

int queryPrefix(const AttentionDescription& attention) {
  return prefixOf(attention, attention.queries, attention.queryGrid);
}

int keyPrefix(const AttentionDescription& attention) {
  return prefixOf(attention, attention.keys, attention.keyGrid);
}

int singleTokens(const AttentionDescription& attention, Direction direction) {
  const bool rows = direction == Direction::Rows;
  const int prefix = rows ? queryPrefix(attention) : keyPrefix(attention);
  return prefix + ((rows ? attention.queryGrid : attention.keyGrid) ? attention.suffixTokens : 0);
}

int singleTokenPlace(const AttentionDescription& attention, Direction direction, int prefixToken) {
  const bool rows = direction == Direction::Rows;
  const int prefix = rows ? queryPrefix(attention) : keyPrefix(attention);
  if (prefixToken < prefix) return prefixToken;
  return (rows ? attention.queries : attention.keys) - attention.suffixTokens + prefixToken -
         prefix;
}

std::optional<int> singleTokenAt(const AttentionDescription& attention, Direction direction,
                                 int place) {
  const int tokens = singleTokens(attention, direction);
  for (int token = 0; token < tokens; ++token) {
    if (singleTokenPlace(attention, direction, token) == place) return token;
  }
  return std::nullopt;
}

std::optional<int> classToken(const AttentionDescription& attention, Direction direction) {
  const int tokens = singleTokens(attention, direction);
  for (int token = 0; token < tokens; ++token) {
    if (prefixTokenName(attention, token) == "class token") return token;
  }
  return std::nullopt;
}

int queryToken(const AttentionDescription& attention, const PictureExtent& extent,
               const PictureQuery& query, Direction direction) {
  const std::optional<TokenGrid> grid = chosenGrid(attention, direction);
  const int prefix = direction == Direction::Rows ? queryPrefix(attention) : keyPrefix(attention);
  if (query.prefixToken && *query.prefixToken < singleTokens(attention, direction)) {
    return singleTokenPlace(attention, direction, *query.prefixToken);
  }
  if (!grid) return 0;
  const Patch patch = patchAt(*grid, extent, query);
  const int cell = patch.row * grid->width + patch.column;
  const Places& places = chosenPlaces(attention, direction);
  return prefix + (places ? places->nearest[static_cast<std::size_t>(cell)] : cell);
}

std::optional<TokenGrid> chosenGrid(const AttentionDescription& attention, Direction direction) {
  return direction == Direction::Rows ? gridOrRaster(attention.queryGrid, attention.queryPlaces)
                                      : gridOrRaster(attention.keyGrid, attention.keyPlaces);
}

std::optional<TokenGrid> answerGrid(const AttentionDescription& attention, Direction direction) {
  return chosenGrid(attention, direction == Direction::Rows ? Direction::Columns : Direction::Rows);
}

bool showsWholeMatrix(const AttentionDescription& attention) {
  return !chosenGrid(attention, Direction::Rows) && !chosenGrid(attention, Direction::Columns) &&
         attention.queries > 1;
}

std::string prefixTokenName(const AttentionDescription& attention, int token) {
  const auto index = static_cast<std::size_t>(token);
  if (index < attention.prefixNames.size()) return attention.prefixNames[index];
  if (token == 0) return "class token";
  // Without names, a second token is DeiT's distillation token; more than two belong to an unknown
  // network.
  return attention.prefixTokens > 2 ? "prefix token " + std::to_string(token)
                                    : "distillation token";
}

std::string singleTokenName(const AttentionDescription& attention, Direction direction, int token) {
  const bool rows = direction == Direction::Rows;
  const int prefix = rows ? queryPrefix(attention) : keyPrefix(attention);
  const std::optional<TokenGrid> grid = chosenGrid(attention, direction);
  const bool channels = traitsOf(attention.mechanism).overChannels;
  if (rows && attention.mechanism == "softmax_pool") return "learned query";
  if (token < prefix) return prefixTokenName(attention, token);
  const int index = token - prefix;
  if (chosenPlaces(attention, direction)) return "token " + std::to_string(index);
  if (!grid) return (channels ? "channel " : "token ") + std::to_string(token);
  if (index >= grid->count()) {
    return prefixTokenName(attention, prefix + index - grid->count());
  }
  return "patch (" + std::to_string(index / grid->width) + ", " +
         std::to_string(index % grid->width) + ")";
}

std::string tokenName(const AttentionDescription& attention, Direction direction, int token) {
  if (showsWholeMatrix(attention)) {
    return traitsOf(attention.mechanism).overChannels ? "all channels" : "all tokens";
  }
  return singleTokenName(attention, direction, token);
}

}  // namespace softscope
