#include "models/vit/PositionTable.h"

#include "models/layers/Layers.h"

#include <cmath>

namespace softscope {

namespace {

torch::Tensor resizeTable(const torch::Tensor& table, const TokenGrid& grid,
                          PositionResize resize) {
  switch (resize) {
    case PositionResize::Plain:
      break;
    case PositionResize::Antialiased:
      return at::_upsample_bicubic2d_aa(table, {grid.height, grid.width}, false);
    case PositionResize::Offset: {
      constexpr double offset = 0.1;
      const auto side = static_cast<double>(table.size(2));
      return at::upsample_bicubic2d(table, {grid.height, grid.width}, false,
                                    (grid.height + offset) / side, (grid.width + offset) / side);
    }
    case PositionResize::Aligned:
      return at::upsample_bicubic2d(table, {grid.height, grid.width}, true);
    case PositionResize::Bilinear:
      return at::_upsample_bilinear2d_aa(table, {grid.height, grid.width}, false);
  }
  return at::upsample_bicubic2d(table, {grid.height, grid.width}, false);
}

}  // namespace

int squareSide(int positions) {
  if (positions < 1) return 0;
  const int side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(positions))));
  return side * side == positions ? side : 0;
}

torch::Tensor resizePositions(const torch::Tensor& positions, int prefixTokens,
                              const TokenGrid& grid, PositionResize resize) {
  const int side = squareSide(static_cast<int>(positions.size(1)) - prefixTokens);
  if (side == 0 || grid == TokenGrid{side, side}) return positions;
  const torch::Tensor table = mapOf(positions.slice(1, prefixTokens), {side, side});
  const torch::Tensor resized = resizeTable(table, grid, resize);
  return at::cat({positions.slice(1, 0, prefixTokens), tokensOf(resized)}, 1);
}

}  // namespace softscope
