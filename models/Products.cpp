#include "models/Products.h"

#include "models/Inference.h"
#include "models/LinearInRegisters.h"
#include "models/TanhGelu.h"

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

/// Where a library's products are twice as fast as those in AVX2's registers.
bool hasWiderRegisters() {
#if defined(__x86_64__)
  static const bool wider = __builtin_cpu_supports("avx512f");
  return wider;
#else
  return false;
#endif
}

}  // namespace

torch::Tensor linearProduct(const torch::Tensor& x, const torch::Tensor& weight,
                            const torch::Tensor& bias, Activation activation) {
  if (!hasWiderRegisters()) {
    const auto product = linearInRegisters(x, weight, bias);
    if (product) return activated(*product, activation);
  } else if (isInferredOnCpu(x) && isInferredOnCpu(weight)) {
    const auto rows = multiplyByOneDnn(x.reshape({-1, x.size(-1)}), weight.t(), bias, activation);
    std::vector<std::int64_t> shape = x.sizes().vec();
    shape.back() = weight.size(0);
    if (rows) return rows->view(shape);
  }
  return activated(at::linear(x, weight, bias), activation);
}

torch::Tensor matrixProduct(const torch::Tensor& a, const torch::Tensor& b) {
  const auto product = multiplyByOneDnn(a, b, {}, Activation::None);
  return product ? *product : at::matmul(a, b);
}

}  // namespace softscope
