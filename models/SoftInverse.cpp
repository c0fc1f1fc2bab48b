#include "models/SoftInverse.h"

#include <torch/types.h>

namespace softscope {

namespace {

constexpr int newtonSteps = 20;
constexpr int mostHalvings = 10;

torch::Tensor newtonRaphson(torch::Tensor inverse, const torch::Tensor& matrix) {
  for (int step = 0; step < newtonSteps; ++step) {
    inverse = 2 * inverse - at::matmul(at::matmul(inverse, matrix), inverse);
  }
  return inverse;
}

torch::Tensor identityLike(const torch::Tensor& matrix) {
  return torch::eye(matrix.size(-1), matrix.options());
}

}  // namespace

torch::Tensor invertSoft(const torch::Tensor& kernel) {
  const torch::Tensor largestRowSum = std::get<0>(kernel.sum(-1).max(-1));
  const torch::Tensor start = (1.8 / largestRowSum.square()).unsqueeze(-1).unsqueeze(-1);
  const torch::Tensor damped = kernel + 0.01 * identityLike(kernel);
  return newtonRaphson(start * damped, damped);
}

torch::Tensor invertSoftNorm(const torch::Tensor& kernel) {
  const torch::Tensor identity = identityLike(kernel);
  const torch::Tensor square = at::matmul(kernel, kernel);
  torch::Tensor start = 2 / kernel.sum(-1).amax({1, 2}, true).unsqueeze(-1).square();
  for (int halving = 0; halving < mostHalvings; ++halving) {
    const torch::Tensor residual =
        (identity - start * square).abs().sum(-2).amax({1, 2}, true).unsqueeze(-1);
    const torch::Tensor tooLarge = residual > 1.01;
    if (!tooLarge.any().item<bool>()) break;
    start = at::where(tooLarge, start * 0.5, start);
  }
  return newtonRaphson(start * kernel, kernel);
}

torch::Tensor normaliseInverse(const torch::Tensor& inverse, const torch::Tensor& kernel) {
  const torch::Tensor scale = kernel.sum(-1, true).rsqrt();
  return scale * inverse * scale.transpose(-1, -2);
}

}  // namespace softscope
