#include "models/layers/Products.h"

#include "models/cpu/CpuFeatures.h"
#include "models/cpu/ExponentialLoops.h"
#include "models/cpu/Inference.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <vector>

namespace softscope {

namespace {

/// Tasks consist of whole blocks: the last elements of a range that do not fill a vector are
/// rounded differently, and which elements these are must not depend on the number of threads.
constexpr std::int64_t elementsOfBlock = 64;
constexpr std::int64_t blocksPerTask = 512;

/// Calls `compute(begin, end)` for ranges of `count` elements, on several threads.
template <typename Compute>
void forRanges(std::int64_t count, const Compute& compute) {
  const std::int64_t blocks = (count + elementsOfBlock - 1) / elementsOfBlock;
  at::parallel_for(0, blocks, blocksPerTask, [&](std::int64_t begin, std::int64_t end) {
    compute(begin * elementsOfBlock, std::min(end * elementsOfBlock, count));
  });
}

torch::Tensor values(const torch::Tensor& x) {
  torch::Tensor result = torch::empty_like(x);
  const float* from = x.data_ptr<float>();
  float* to = result.data_ptr<float>();
  forRanges(x.numel(), [&](std::int64_t begin, std::int64_t end) {
    tanhGeluValues(from + begin, to + begin, end - begin);
  });
  return result;
}

struct TanhGelu : torch::autograd::Function<TanhGelu> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x) {
    const torch::Tensor given = x.contiguous();
    context->save_for_backward({given});
    return values(given);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const torch::Tensor x = context->get_saved_variables()[0];
    const torch::Tensor gradient = gradients[0].contiguous();
    torch::Tensor result = torch::empty_like(x);
    const float* at = x.data_ptr<float>();
    const float* from = gradient.data_ptr<float>();
    float* to = result.data_ptr<float>();
    forRanges(x.numel(), [&](std::int64_t begin, std::int64_t end) {
      tanhGeluGradients(at + begin, from + begin, to + begin, end - begin);
    });
    return {result};
  }
};

}  // namespace

torch::Tensor tanhGelu(const torch::Tensor& x) {
  if (!x.is_cpu() || x.scalar_type() != torch::kFloat32) return at::gelu(x, "tanh");
  return x.requires_grad() ? TanhGelu::apply(x) : values(x.contiguous());
}

Activation activationOfOption(std::string_view value) {
  if (value == "relu") return Activation::Relu;
  return value == "gelu_tanh" ? Activation::TanhGelu : Activation::Gelu;
}

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
