#include "models/vit/VitPositions.h"

#include "models/identify/ShapeReader.h"
#include "models/layers/Layers.h"

#include <numbers>

namespace softscope {

namespace {

torch::Tensor centres(int count, const torch::TensorOptions& options) {
  return torch::arange(count, options).add(0.5).mul(2.0 / count).sub(1);
}

torch::Tensor stretched(int count, int reference, const torch::TensorOptions& options) {
  const torch::Tensor places = torch::arange(count, options);
  return reference > 0 ? places.mul(static_cast<double>(reference) / count) : places;
}

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

torch::Tensor RotaryPositions::angles(const TokenGrid& grid, int headWidth,
                                      const torch::Tensor& periods,
                                      const torch::TensorOptions& options) const {
  const bool isHalves = form == Form::Halves;
  const auto inDouble = torch::TensorOptions(torch::kFloat64).device(options.device());
  const int rates = headWidth / 4;
  const torch::Tensor exponents = torch::arange(rates, inDouble).mul(4.0 / headWidth);
  torch::Tensor lengths =
      periods.defined() ? periods.to(torch::kFloat64) : at::pow(base, exponents);
  if (isHalves) lengths = lengths / (2 * std::numbers::pi);
  const auto along = [&](int count) {
    const torch::Tensor places =
        isHalves ? centres(count, inDouble) : stretched(count, reference, inDouble);
    return places.unsqueeze(1) / lengths;
  };
  const torch::Tensor vertical = along(grid.height).unsqueeze(1).expand({-1, grid.width, -1});
  const torch::Tensor horizontal = along(grid.width).unsqueeze(0).expand({grid.height, -1, -1});
  const torch::Tensor both = at::cat({vertical, horizontal}, 2).flatten(0, 1);
  const torch::Tensor all =
      isHalves ? at::cat({both, both}, 1) : both.repeat_interleave(2, std::int64_t{1});
  return at::stack({all.cos(), all.sin()}).to(options);
}

torch::Tensor RotaryPositions::rotate(const torch::Tensor& x, const torch::Tensor& angles,
                                      int prefixTokens) const {
  const torch::Tensor patches = x.slice(2, prefixTokens);
  torch::Tensor turned;
  if (form == Form::Halves) {
    const std::vector<torch::Tensor> halves = patches.chunk(2, -1);
    turned = at::cat({-halves[1], halves[0]}, -1);
  } else {
    const torch::Tensor pairs = patches.unflatten(-1, {-1, 2});
    turned = at::stack({-pairs.select(-1, 1), pairs.select(-1, 0)}, -1).flatten(-2);
  }
  return at::cat({x.slice(2, 0, prefixTokens), patches * angles[0] + turned * angles[1]}, 2);
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
