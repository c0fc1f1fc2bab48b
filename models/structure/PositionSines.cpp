#include "models/structure/PositionSines.h"

#include <algorithm>
#include <cmath>

namespace softscope {

namespace {

constexpr double longestWave = 10000;

/// Returns the sines and the cosines of angles [n, k] in the given order, [n, 2 k].
torch::Tensor sinesAndCosines(const torch::Tensor& angles, SineOrder order) {
  const torch::Tensor sines = angles.sin();
  const torch::Tensor cosines = angles.cos();
  return order == SineOrder::Halves ? at::cat({sines, cosines}, 1)
                                    : at::stack({sines, cosines}, -1).flatten(1);
}

}  // namespace

torch::Tensor sinesOfTokens(std::int64_t count, std::int64_t channels, SineOrder order) {
  const torch::Tensor places = at::arange(count, torch::kFloat64).unsqueeze(1);
  const torch::Tensor pairs = at::arange((channels + 1) / 2, torch::kFloat64);
  const torch::Tensor angles =
      places * (pairs * (-2 * std::log(longestWave) / static_cast<double>(channels))).exp();
  return sinesAndCosines(angles, order).slice(1, 0, channels).to(torch::kFloat32).unsqueeze(0);
}

torch::Tensor sinesOfGrid(const TokenGrid& grid, std::int64_t channels, GridPeriods periods,
                          SineOrder order) {
  const std::int64_t quarter = channels / 4;
  const std::int64_t steps = periods == GridPeriods::OfMae ? quarter : quarter - 1;
  const torch::Tensor waves =
      (at::arange(quarter, torch::kFloat64) *
       (-std::log(longestWave) / static_cast<double>(std::max<std::int64_t>(1, steps))))
          .exp();
  const torch::Tensor rows = at::arange(grid.height, torch::kFloat64)
                                 .view({-1, 1})
                                 .expand({-1, grid.width})
                                 .reshape({-1, 1});
  const torch::Tensor columns = at::arange(grid.width, torch::kFloat64)
                                    .view({1, -1})
                                    .expand({grid.height, -1})
                                    .reshape({-1, 1});
  const torch::Tensor table =
      at::cat({sinesAndCosines(columns * waves, order), sinesAndCosines(rows * waves, order)}, 1);
  return at::constant_pad_nd(table, {0, channels - 4 * quarter}).to(torch::kFloat32).unsqueeze(0);
}

bool holdsSines(const torch::Tensor& table) {
  constexpr std::int64_t rowsLookedAt = 64;
  constexpr std::int64_t fewestRows = 4;
  if (table.size(0) < fewestRows) return false;
  const torch::Tensor rows = table.slice(0, 0, rowsLookedAt).to(torch::kFloat64);
  // x(t - 1) + x(t + 1) = 2 cos(w) x(t) for a sine of any period and phase.
  const torch::Tensor middle = rows.slice(0, 1, -1);
  const torch::Tensor around = rows.slice(0, 0, -2) + rows.slice(0, 2);
  const torch::Tensor square = middle.square().sum(0).clamp_min(1e-12);
  const torch::Tensor factor = (middle * around).sum(0) / square;
  const torch::Tensor rest = (around - factor * middle).square().sum(0) / square;
  constexpr double ofRounding = 1e-4;
  const bool areSines = (rest.max() < ofRounding).item<bool>();
  const auto varying = (rows.std(0) > 1e-3 * rows.abs().max()).sum().item<std::int64_t>();
  return areSines && varying >= 2;
}

}  // namespace softscope
