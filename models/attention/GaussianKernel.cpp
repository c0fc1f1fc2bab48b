#include "models/attention/GaussianKernel.h"

#include "models/cpu/ExponentialLoops.h"
#include "models/cpu/Inference.h"
#include "models/cpu/RowLoops.h"
#include "models/layers/Products.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <vector>

namespace softscope {

namespace {

/// Replaces the products by exp(products - halfA - halfB) in a single pass: [..., n, m], [..., n,
/// 1], [..., 1, m], all contiguous.
void exponentiate(const torch::Tensor& products, const torch::Tensor& halfA,
                  const torch::Tensor& halfB) {
  constexpr std::int64_t elementsPerTask = 1 << 15;
  const std::int64_t rows = products.size(-2);
  const std::int64_t columns = products.size(-1);
  float* values = products.data_ptr<float>();
  const float* ofRows = halfA.data_ptr<float>();
  const float* ofColumns = halfB.data_ptr<float>();
  const auto compute = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      exponentials(values + row * columns, ofRows[row], ofColumns + row / rows * columns, columns);
    }
  };
  at::parallel_for(0, products.numel() / columns, elementsPerTask / columns + 1, compute);
}

/// Returns |row|^2 / 2 of every row: [..., n, d] -> [..., n, 1].
torch::Tensor halfSquaresOf(const torch::Tensor& x) {
  if (!isInferredOnCpu(x) || !x.is_contiguous()) return x.square().sum(-1, true).mul_(0.5);
  constexpr std::int64_t elementsPerTask = 1 << 15;
  const std::int64_t width = x.size(-1);
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape.back() = 1;
  const torch::Tensor halves = torch::empty(shape, x.options());
  const float* rows = x.data_ptr<float>();
  float* results = halves.data_ptr<float>();
  at::parallel_for(0, halves.numel(), elementsPerTask / width + 1,
                   [&](std::int64_t begin, std::int64_t end) {
                     halfSquares(rows + begin * width, end - begin, width, results + begin);
                   });
  return halves;
}

}  // namespace

torch::Tensor gaussianKernel(const torch::Tensor& a, const torch::Tensor& b) {
  const torch::Tensor halfA = halfSquaresOf(a);
  const torch::Tensor halfB = halfSquaresOf(b).transpose(-1, -2);
  const torch::Tensor products = matrixProduct(a, b.transpose(-1, -2));
  if (!products.is_cpu() || products.scalar_type() != torch::kFloat32 || products.requires_grad() ||
      products.numel() == 0) {
    return products.sub_(halfA).sub_(halfB).exp_();
  }
  exponentiate(products, halfA.contiguous(), halfB.contiguous());
  return products;
}

}  // namespace softscope
