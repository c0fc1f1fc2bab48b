#include "models/cpu/TanhGelu.h"

#include "models/cpu/ExponentialLoops.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

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

}  // namespace softscope
