#include "models/structure/SinePositions.h"

#include <algorithm>
#include <cmath>

namespace softscope {

namespace {
constexpr double longestWave = 10000;
}

torch::Tensor sinesOfTokens(std::int64_t count, std::int64_t channels) {
  const torch::Tensor places = at::arange(count, torch::kFloat64).unsqueeze(1);
  const torch::Tensor pairs = at::arange((channels + 1) / 2, torch::kFloat64);
  const torch::Tensor angles =
      places * (pairs * (-2 * std::log(longestWave) / static_cast<double>(channels))).exp();
  return at::stack({angles.sin(), angles.cos()}, -1)
      .flatten(1)
      .slice(1, 0, channels)
      .to(torch::kFloat32)
      .unsqueeze(0);
}

torch::Tensor sinesOfGrid(const TokenGrid& grid, std::int64_t channels) {
  const std::int64_t quarter = channels / 4;
  const auto steps = static_cast<double>(std::max<std::int64_t>(1, quarter - 1));
  const torch::Tensor waves =
      (at::arange(quarter, torch::kFloat64) * (-std::log(longestWave) / steps)).exp();
  const torch::Tensor rows = at::arange(grid.height, torch::kFloat64)
                                 .view({-1, 1})
                                 .expand({-1, grid.width})
                                 .reshape({-1, 1}) *
                             waves;
  const torch::Tensor columns = at::arange(grid.width, torch::kFloat64)
                                    .view({1, -1})
                                    .expand({grid.height, -1})
                                    .reshape({-1, 1}) *
                                waves;
  const torch::Tensor table = at::cat({columns.sin(), columns.cos(), rows.sin(), rows.cos()}, 1);
  return at::constant_pad_nd(table, {0, channels - 4 * quarter}).to(torch::kFloat32).unsqueeze(0);
}

}  // namespace softscope
