#include "models/Products.h"

#include "models/TanhGelu.h"

#include <ATen/ATen.h>

#include <vector>

namespace softscope {

namespace {

torch::Tensor activated(const torch::Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::None:
      break;
    case Activation::Gelu:
      return at::gelu(x);
    case Activation::TanhGelu:
      return tanhGelu(x);
  }
  return x;
}

}  // namespace

torch::Tensor linearProduct(const torch::Tensor& x, const torch::Tensor& weight,
                            const torch::Tensor& bias, Activation activation) {
  const auto rows = multiplyByOneDnn(x.reshape({-1, x.size(-1)}), weight.t(), bias, activation);
  if (!rows) return activated(at::linear(x, weight, bias), activation);
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape.back() = weight.size(0);
  return rows->view(shape);
}

torch::Tensor matrixProduct(const torch::Tensor& a, const torch::Tensor& b) {
  const auto product = multiplyByOneDnn(a, b, {}, Activation::None);
  return product ? *product : at::matmul(a, b);
}

}  // namespace softscope
