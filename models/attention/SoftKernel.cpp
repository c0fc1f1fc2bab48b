#include "models/attention/SoftKernel.h"

#include "models/cpu/ExponentialLoops.h"
#include "models/cpu/Inference.h"
#include "models/cpu/RowLoops.h"
#include "models/cpu/SmallMatrices.h"
#include "models/layers/Products.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include <cstdint>
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

constexpr int mostHalvings = 10;

/// Number of landmarks up to which Softscope's own products of doubles are faster than the
/// library's; those of floats are at any number.
constexpr std::int64_t mostDoubles = 64;
/// Number of landmarks from which it pays to share a single product among all threads.
constexpr std::int64_t leastShared = 128;

/// Takes `steps` steps from `start` times each matrix of [heads, m, m], one product of all heads
/// after the other.
torch::Tensor sharedSteps(const torch::Tensor& start, const torch::Tensor& matrices, int steps) {
  torch::Tensor inverse = start * matrices;
  for (int step = 0; step < steps; ++step) {
    inverse = matrices.is_cpu()
                  ? 2 * inverse - matrixProduct(matrixProduct(inverse, matrices), inverse)
                  : at::baddbmm(inverse, at::bmm(inverse, matrices), inverse, 2, -1);
  }
  return inverse;
}

/// Takes `steps` steps from `start` times each matrix of [B, heads, m, m]; `start` is [B, heads or
/// 1, 1, 1].
torch::Tensor newtonRaphson(const torch::Tensor& start, const torch::Tensor& matrix, int steps) {
  const std::int64_t m = matrix.size(-1);
  const torch::Tensor matrices = matrix.flatten(0, 1);
  const torch::Tensor starts = start.expand({matrix.size(0), matrix.size(1), 1, 1}).flatten(0, 1);
  const bool isDouble = matrix.scalar_type() == torch::kFloat64;
  if (!matrix.is_cpu() || (isDouble && m > mostDoubles)) {
    return sharedSteps(starts, matrices, steps).view_as(matrix);
  }
  // Each thread takes the steps of one head. Heads that would leave most threads idle are computed
  // by all of them together.
  const std::int64_t threads = at::get_num_threads();
  const std::int64_t heads = matrices.size(0);
  const std::int64_t left = heads % threads;
  if (left == 0 || 2 * left > threads || m < leastShared) {
    return newtonRaphsonSteps(start, matrix, steps);
  }
  const torch::Tensor last =
      sharedSteps(starts.slice(0, heads - left), matrices.slice(0, heads - left), steps);
  if (left == heads) return last.view_as(matrix);
  const torch::Tensor first = newtonRaphsonSteps(starts.slice(0, 0, heads - left),
                                                 matrices.slice(0, 0, heads - left), steps);
  return at::cat({first, last}).view_as(matrix);
}

torch::Tensor identityLike(const torch::Tensor& matrix) {
  return torch::eye(matrix.size(-1), matrix.options());
}

torch::Tensor invertDamped(const torch::Tensor& kernel, int steps) {
  const torch::Tensor largestRowSum = kernel.sum(-1, true).amax(-2, true);
  torch::Tensor damped = kernel.clone();
  damped.diagonal(0, -2, -1).add_(0.01);
  return newtonRaphson(1.8 / largestRowSum.square(), damped, steps);
}

/// SOFT's inverse with the authors' gradient, which is that of an exact inverse and not of the
/// steps.
struct DampedInverse : torch::autograd::Function<DampedInverse> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& kernel, std::int64_t steps) {
    const torch::Tensor inverse = invertDamped(kernel.detach(), static_cast<int>(steps));
    context->save_for_backward({inverse});
    return inverse;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const torch::Tensor transposed = context->get_saved_variables()[0].transpose(-1, -2);
    return {at::matmul(at::matmul(transposed, gradients[0]), transposed).neg_(), {}};
  }
};

/// Returns the largest column sum of |I - start A A| over all heads of each picture, [..., B, 1, 1,
/// 1], for starts of that shape.
torch::Tensor startResidual(const torch::Tensor& start, const torch::Tensor& square) {
  const torch::Tensor residual = identityLike(square) - start * square;
  return residual.abs().sum(-2).amax({-2, -1}, true).unsqueeze(-1);
}

/// Halves the start of each picture, [B, 1, 1, 1], until its residual is at most 1.01, ten times at
/// most.
torch::Tensor halvedStart(torch::Tensor start, const torch::Tensor& square) {
  constexpr double largest = 1.01;
  if (square.is_cpu()) {
    for (int halving = 0; halving < mostHalvings; ++halving) {
      const torch::Tensor tooLarge = startResidual(start.detach(), square) > largest;
      if (!tooLarge.any().item<bool>()) break;
      start = at::where(tooLarge, start * 0.5, start);
    }
    return start;
  }
  // Every answer that the CPU would wait for costs more on a GPU than all of them at once.
  const torch::Tensor halvings =
      at::cumprod(torch::full({mostHalvings + 1}, 0.5, square.options()), 0) * 2;
  const torch::Tensor starts =
      start.detach() * halvings.slice(0, 0, mostHalvings).view({-1, 1, 1, 1, 1});
  const torch::Tensor needed =
      (startResidual(starts, square) > largest).to(torch::kLong).cumprod(0).sum(0);
  return start * halvings.index({needed});
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

torch::Tensor invertSoft(const torch::Tensor& kernel, InverseGradient gradient, int steps) {
  return kernel.requires_grad() && gradient == InverseGradient::Exact
             ? DampedInverse::apply(kernel, std::int64_t{steps})
             : invertDamped(kernel, steps);
}

torch::Tensor invertSoftNorm(const torch::Tensor& kernel, int steps) {
  // The number of halvings is a discrete choice, so no gradient flows through it.
  const torch::Tensor square = at::matmul(kernel.detach(), kernel.detach());
  const torch::Tensor start = 2 / kernel.sum(-1).amax({1, 2}, true).unsqueeze(-1).square();
  return newtonRaphson(halvedStart(start, square), kernel, steps);
}

torch::Tensor normaliseInverse(const torch::Tensor& inverse, const torch::Tensor& kernel) {
  const torch::Tensor scale = kernel.sum(-1, true).rsqrt();
  return scale * inverse * scale.transpose(-1, -2);
}

}  // namespace softscope
