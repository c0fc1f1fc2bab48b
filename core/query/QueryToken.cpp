#include "core/query/QueryToken.h"

#include "core/attention/Mechanism.h"

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

int cell(double fraction, int cells) {
  return std::clamp(static_cast<int>(std::floor(fraction * cells)), 0, cells - 1);
}

int prefixOf(int tokens, const std::optional<TokenGrid>& grid, int prefixTokens) {
  return grid ? std::max(0, tokens - grid->count()) : std::min(prefixTokens, tokens);
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
  const PictureRegion& region = extent.region;
  return {cell((query.y * extent.height - region.y) / region.height, grid.height),
          cell((query.x * extent.width - region.x) / region.width, grid.width)};
}

PictureQuery queryAt(const TokenGrid& grid, const PictureExtent& extent, const Patch& patch) {
  const PictureRegion& region = extent.region;
  return {(region.x + region.width * (patch.column + 0.5) / grid.width) / extent.width,
          (region.y + region.height * (patch.row + 0.5) / grid.height) / extent.height};
}

int queryPrefix(const AttentionDescription& attention) {
  return prefixOf(attention.queries, attention.queryGrid, attention.prefixTokens);
}

int keyPrefix(const AttentionDescription& attention) {
  return prefixOf(attention.keys, attention.keyGrid, attention.prefixTokens);
}

int queryToken(const AttentionDescription& attention, const PictureExtent& extent,
               const PictureQuery& query, Direction direction) {
  const std::optional<TokenGrid> grid = chosenGrid(attention, direction);
  const int prefix = direction == Direction::Rows ? queryPrefix(attention) : keyPrefix(attention);
  if (!grid) return 0;
  if (query.prefixToken && *query.prefixToken < prefix) return *query.prefixToken;
  const Patch patch = patchAt(*grid, extent, query);
  return prefix + patch.row * grid->width + patch.column;
}

std::optional<TokenGrid> chosenGrid(const AttentionDescription& attention, Direction direction) {
  return direction == Direction::Rows ? attention.queryGrid : attention.keyGrid;
}

std::optional<TokenGrid> answerGrid(const AttentionDescription& attention, Direction direction) {
  return direction == Direction::Rows ? attention.keyGrid : attention.queryGrid;
}

bool showsWholeMatrix(const AttentionDescription& attention) {
  return !attention.queryGrid && !attention.keyGrid && attention.queries > 1;
}

std::string prefixTokenName(const AttentionDescription& attention, int token) {
  const auto index = static_cast<std::size_t>(token);
  if (index < attention.prefixNames.size()) return attention.prefixNames[index];
  return token == 0 ? "class token" : "distillation token";
}

std::string singleTokenName(const AttentionDescription& attention, Direction direction, int token) {
  const bool rows = direction == Direction::Rows;
  const int prefix = rows ? queryPrefix(attention) : keyPrefix(attention);
  const std::optional<TokenGrid> grid = chosenGrid(attention, direction);
  const bool channels = mechanismNamed(attention.mechanism).overChannels;
  if (token < prefix) return prefixTokenName(attention, token);
  if (!grid) return (channels ? "channel " : "token ") + std::to_string(token);
  const int index = token - prefix;
  return "patch (" + std::to_string(index / grid->width) + ", " +
         std::to_string(index % grid->width) + ")";
}

std::string tokenName(const AttentionDescription& attention, Direction direction, int token) {
  if (showsWholeMatrix(attention)) {
    return mechanismNamed(attention.mechanism).overChannels ? "all channels" : "all tokens";
  }
  return singleTokenName(attention, direction, token);
}

}  // namespace softscope
