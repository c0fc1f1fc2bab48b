#include "models/layers/Products.h"

#include "models/cpu/CpuFeatures.h"
#include "models/cpu/Inference.h"
#include "models/cpu/TanhGelu.h"

#include <vector>

namespace softscope {

torch::Tensor activated(const torch::Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::None:
      break;
    case Activation::Relu:
      return at::relu(x);
    case Activation::Gelu: {
      const auto activatedByOneDnn = activateByOneDnn(x, activation);
      return activatedByOneDnn ? *activatedByOneDnn : at::gelu(x);
    }
    case Activation::TanhGelu:
      return tanhGelu(x);
  }
  return x;
}

torch::Tensor linearProduct(const torch::Tensor& x, const torch::Tensor& weight,
                            const torch::Tensor& bias, Activation activation) {
  // Without AVX-512, oneDNN has nothing faster to offer.
  if (hasAvx512() && isInferredOnCpu(x) && isInferredOnCpu(weight)) {
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

torch::Tensor softmaxOfRows(const torch::Tensor& scores) {
  const auto softmax = softmaxByOneDnn(scores);
  return softmax ? *softmax : scores.softmax(-1);
}

}  // namespace softscope
