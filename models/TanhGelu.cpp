#include "models/TanhGelu.h"

#include "models/ExponentialLoops.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

namespace softscope {

namespace {

constexpr std::int64_t elementsPerTask = 1 << 15;

torch::Tensor values(const torch::Tensor& x) {
  torch::Tensor result = torch::empty_like(x);
  const float* from = x.data_ptr<float>();
  float* to = result.data_ptr<float>();
  at::parallel_for(0, x.numel(), elementsPerTask, [&](std::int64_t begin, std::int64_t end) {
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
    at::parallel_for(0, x.numel(), elementsPerTask, [&](std::int64_t begin, std::int64_t end) {
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
