#include "models/attention/StableExponential.h"

#include "models/cpu/ExponentialLoops.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace softscope {

namespace {

/// Returns the number that is added to each exponential.
double leastFeature(std::int64_t count) {
  return 1e-4 / std::sqrt(static_cast<double>(count));
}

/// Returns the largest element of each row, or of each whole matrix, of [B, heads, n, m], and its
/// index in the flattened matrix: [B, heads, n, 1] or [B, heads, 1, 1] each.
std::pair<torch::Tensor, torch::Tensor> largestElements(const torch::Tensor& x, LargestOf of) {
  const auto [largest, columns] = x.max(-1, true);
  const torch::Tensor places =
      columns + at::arange(x.size(-2), columns.options()).unsqueeze(-1) * x.size(-1);
  if (of == LargestOf::Token) return {largest, places};
  const auto [largestOfAll, rows] = largest.max(-2, true);
  return {largestOfAll, places.gather(-2, rows)};
}

bool hasLoops(const torch::Tensor& x) {
  return x.is_cpu() && x.scalar_type() == torch::kFloat32 && x.is_contiguous() && x.numel() > 0;
}

/// Calls `compute` for each row of one or more matrices, on all threads.
template <typename Compute>
void forEachRow(const torch::Tensor& x, const Compute& compute) {
  constexpr std::int64_t elementsPerTask = 1 << 15;
  const std::int64_t rows = x.numel() / x.size(-1);
  at::parallel_for(0, rows, elementsPerTask / x.size(-1) + 1,
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t row = begin; row < end; ++row) compute(row);
                   });
}

/// Returns exp(x - shift) + added, where each row has its own shift.
torch::Tensor exponentialsOf(const torch::Tensor& x, const torch::Tensor& shift, double added) {
  if (!hasLoops(x)) return (x - shift).exp_().add_(added);
  const std::int64_t count = x.size(-1);
  const torch::Tensor shifts = shift.contiguous();
  const torch::Tensor result = torch::empty_like(x);
  forEachRow(x, [from = x.data_ptr<float>(), of = shifts.data_ptr<float>(),
                 to = result.data_ptr<float>(), count, added](std::int64_t row) {
    // The loops may be compiled to assume finite numbers, so they get no others.
    if (std::isfinite(of[row])) {
      raisedExponentials(from + row * count, of[row], static_cast<float>(added), to + row * count,
                         count);
    } else {
      std::fill_n(to + row * count, count, std::numeric_limits<float>::quiet_NaN());
    }
  });
  return result;
}

/// Returns the gradient of x, and its sum in each row.
std::pair<torch::Tensor, torch::Tensor> gradientsOf(const torch::Tensor& exponentials, double added,
                                                    const torch::Tensor& gradient) {
  if (!hasLoops(exponentials) || !hasLoops(gradient)) {
    const torch::Tensor result = (exponentials - added).mul_(gradient);
    return {result, result.sum(-1, true)};
  }
  const std::int64_t count = exponentials.size(-1);
  const torch::Tensor result = torch::empty_like(exponentials);
  std::vector<std::int64_t> shape = exponentials.sizes().vec();
  shape.back() = 1;
  const torch::Tensor sums = torch::empty(shape, exponentials.options());
  forEachRow(exponentials, [from = exponentials.data_ptr<float>(), by = gradient.data_ptr<float>(),
                            to = result.data_ptr<float>(), of = sums.data_ptr<float>(), count,
                            added](std::int64_t row) {
    of[row] = raisedExponentialGradients(from + row * count, static_cast<float>(added),
                                         by + row * count, to + row * count, count);
  });
  return {result, sums};
}

struct StableExponential : torch::autograd::Function<StableExponential> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& products, const torch::Tensor& halfNorms,
                               LargestOf of) {
    const std::int64_t count = products.size(-1);
    const auto [largest, places] = largestElements(products, of);
    // 1 / sqrt(m) is part of the exponent, which saves a pass over the features.
    const torch::Tensor shift = halfNorms + (largest + std::log(static_cast<double>(count)) / 2);
    const torch::Tensor result = exponentialsOf(products, shift, leastFeature(count));
    context->save_for_backward({result, places});
    return result;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor &result = saved[0], &places = saved[1];
    const auto [gradient, sums] = gradientsOf(result, leastFeature(result.size(-1)), gradients[0]);
    const torch::Tensor ofRows = sums.neg();
    const torch::Tensor ofLargest = places.size(-2) == 1 ? ofRows.sum(-2, true) : ofRows;
    gradient.flatten(-2).scatter_add_(-1, places.flatten(-2), ofLargest.flatten(-2));
    return {gradient, ofRows, {}};
  }
};

}  // namespace

torch::Tensor stableExponential(const torch::Tensor& products, const torch::Tensor& halfNorms,
                                LargestOf of) {
  return StableExponential::apply(products, halfNorms, of);
}

}  // namespace softscope
