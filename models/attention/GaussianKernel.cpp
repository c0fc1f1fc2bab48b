#include "models/attention/GaussianKernel.h"

#include "models/cpu/ExponentialLoops.h"
#include "models/layers/Products.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

namespace softscope {

namespace {

/// exp(products - halfA - halfB) in place, one pass over them: [..., n, m], [..., n, 1],
/// [..., 1, m], all of them contiguous.
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

}  // namespace

torch::Tensor gaussianKernel(const torch::Tensor& a, const torch::Tensor& b) {
  const torch::Tensor halfA = a.square().sum(-1, true).mul_(0.5);
  const torch::Tensor halfB = b.square().sum(-1, true).mul_(0.5).transpose(-1, -2);
  const torch::Tensor products = matrixProduct(a, b.transpose(-1, -2));
  if (!products.is_cpu() || products.scalar_type() != torch::kFloat32 || products.requires_grad() ||
      products.numel() == 0) {
    return products.sub_(halfA).sub_(halfB).exp_();
  }
  exponentiate(products, halfA.contiguous(), halfB.contiguous());
  return products;
}

}  // namespace softscope
