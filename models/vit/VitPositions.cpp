#include "models/vit/VitPositions.h"

#include "models/identify/ShapeReader.h"
#include "models/layers/Layers.h"

#include <algorithm>
#include <numbers>

namespace softscope {

namespace {

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
  const torch::Tensor lengths =
      periods.defined() ? periods.to(torch::kFloat64) : at::pow(base, exponents);
  const torch::Tensor vertical =
      anglesAlong(grid.height, grid, lengths).unsqueeze(1).expand({-1, grid.width, -1});
  const torch::Tensor horizontal =
      anglesAlong(grid.width, grid, lengths).unsqueeze(0).expand({grid.height, -1, -1});
  const torch::Tensor both = at::cat({vertical, horizontal}, 2).flatten(0, 1);
  const torch::Tensor all =
      isHalves ? at::cat({both, both}, 1) : both.repeat_interleave(2, std::int64_t{1});
  return rounded(at::stack({all.cos(), all.sin()}).to(options));
}

torch::Tensor RotaryPositions::anglesAlong(int count, const TokenGrid& grid,
                                           const torch::Tensor& lengths) const {
  const auto options = lengths.options();
  if (form != Form::Halves) {
    return stretched(count, reference, options).unsqueeze(1) / lengths;
  }
  int side = count;
  if (normalization == Normalization::Max) side = std::max(grid.height, grid.width);
  if (normalization == Normalization::Min) side = std::min(grid.height, grid.width);
  const torch::Tensor centres = torch::arange(count, options).add(0.5);
  if (!isRounded()) {
    const torch::Tensor places = centres.mul(2.0 / side).sub(1);
    return places.unsqueeze(1) / (lengths / (2 * std::numbers::pi));
  }
  // Half precision rounds every step of the authors' code, which runs in float32 otherwise.
  const auto step = [&](const torch::Tensor& x) { return rounded(x.to(torch::kFloat32)); };
  const torch::Tensor places = step(step(step(step(centres).div(side)).mul(2)).sub(1));
  const torch::Tensor turns = step(places.mul(2 * std::numbers::pi)).unsqueeze(1);
  return step(turns / step(lengths));
}

torch::Tensor RotaryPositions::rotate(const torch::Tensor& x, const torch::Tensor& angles,
                                      int prefixTokens) const {
  const torch::Tensor all = rounded(x);
  const torch::Tensor patches = all.slice(2, prefixTokens);
  torch::Tensor turned;
  if (form == Form::Halves) {
    const std::vector<torch::Tensor> halves = patches.chunk(2, -1);
    turned = at::cat({-halves[1], halves[0]}, -1);
  } else {
    const torch::Tensor pairs = patches.unflatten(-1, {-1, 2});
    turned = at::stack({-pairs.select(-1, 1), pairs.select(-1, 0)}, -1).flatten(-2);
  }
  const torch::Tensor rotated = rounded(rounded(patches * angles[0]) + rounded(turned * angles[1]));
  return at::cat({all.slice(2, 0, prefixTokens), rotated}, 2);
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
