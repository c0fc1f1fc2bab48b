#include "models/layers/PairRotation.h"

namespace softscope {

torch::Tensor rotatePairs(const torch::Tensor& x, const PairAngles& angles) {
  const torch::Tensor pairs = x.unflatten(-1, {x.size(-1) / 2, 2});
  const torch::Tensor first = pairs.select(-1, 0);
  const torch::Tensor second = pairs.select(-1, 1);
  return at::stack({first * angles.cosine - second * angles.sine,
                    first * angles.sine + second * angles.cosine},
                   -1)
      .flatten(-2);
}

PairAngles gridAngles(const torch::Tensor& rates, const TokenGrid& grid) {
  const auto along = [&](int count) {
    return at::arange(count, rates.options()).unsqueeze(1) * rates;
  };
  const torch::Tensor rows = along(grid.height).unsqueeze(1).expand({-1, grid.width, -1});
  const torch::Tensor columns = along(grid.width).unsqueeze(0).expand({grid.height, -1, -1});
  const torch::Tensor angles = at::cat({rows, columns}, 2).flatten(0, 1);
  return {angles.cos(), angles.sin()};
}

}  // namespace softscope
