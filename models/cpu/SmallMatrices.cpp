#include "models/cpu/SmallMatrices.h"

#include "models/cpu/SmallGemm.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace softscope {

namespace {

/// One matrix's iteration; `iterates` takes the `steps` matrices before each step. Here and below
/// matrices are padded as multiplySmall() wants them.
template <typename T>
void iterate(const T* start, const T* matrix, T* result, T* iterates, std::int64_t m, int steps) {
  const std::int64_t size = m * paddedColumns(m);
  std::vector<T> memory(static_cast<std::size_t>(2 * size));
  T* product = memory.data();
  T* correction = product + size;
  std::copy_n(start, size, result);
  for (int step = 0; step < steps; ++step) {
    if (iterates != nullptr) std::copy_n(result, size, iterates + step * size);
    multiplySmall(result, matrix, product, m);
    multiplySmall(product, result, correction, m);
    for (std::int64_t i = 0; i < size; ++i) result[i] = 2 * result[i] - correction[i];
  }
}

/// Gradients of one matrix's iteration. With G symmetric: dV = 2G - (G V A + A V G) and
/// dA = -V G V, step by step from the last.
template <typename T>
void iterateBack(const T* gradient, const T* matrix, const T* iterates, T* startGradient,
                 T* matrixGradient, std::int64_t m, int steps) {
  const std::int64_t size = m * paddedColumns(m);
  std::vector<T> memory(static_cast<std::size_t>(2 * size));
  T* product = memory.data();
  T* other = product + size;
  T* flow = startGradient;
  const std::int64_t stride = paddedColumns(m);
  std::fill_n(flow, size, T(0));
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < m; ++j) {
      // Only the symmetric part acts on symmetric matrices.
      flow[i * stride + j] = (gradient[i * stride + j] + gradient[j * stride + i]) / 2;
    }
  }
  std::fill_n(matrixGradient, size, T(0));
  for (int step = steps - 1; step >= 0; --step) {
    const T* inverse = iterates + step * size;
    multiplySmall(flow, inverse, product, m);
    multiplySmall(inverse, product, other, m);
    for (std::int64_t i = 0; i < size; ++i) matrixGradient[i] -= other[i];
    multiplySmall(product, matrix, other, m);
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < m; ++j) {
        const std::int64_t at = i * stride + j;
        flow[at] = 2 * flow[at] - (other[at] + other[j * stride + i]);
      }
    }
  }
}

constexpr std::int64_t matricesPerTask = 2;

/// [..., m, m] -> [..., m, paddedColumns(m)]
torch::Tensor padded(const torch::Tensor& matrices) {
  const std::int64_t m = matrices.size(-1);
  if (paddedColumns(m) == m) return matrices.contiguous();
  return at::constant_pad_nd(matrices, {0, paddedColumns(m) - m});
}

struct NewtonRaphson : torch::autograd::Function<NewtonRaphson> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& start, const torch::Tensor& matrix,
                               std::int64_t steps) {
    const torch::Tensor from = padded(start);
    const torch::Tensor matrices = padded(matrix);
    const std::int64_t m = matrix.size(-1);
    const std::int64_t size = m * paddedColumns(m);
    const std::int64_t count = from.numel() / size;
    const bool differentiable = start.requires_grad() || matrix.requires_grad();
    torch::Tensor result = torch::empty_like(matrices);
    torch::Tensor iterates =
        torch::empty({differentiable ? count : 0, steps, m, paddedColumns(m)}, matrices.options());
    AT_DISPATCH_FLOATING_TYPES(matrices.scalar_type(), "newtonRaphsonSteps", [&] {
      const scalar_t* starts = from.data_ptr<scalar_t>();
      const scalar_t* given = matrices.data_ptr<scalar_t>();
      scalar_t* results = result.data_ptr<scalar_t>();
      scalar_t* kept = differentiable ? iterates.data_ptr<scalar_t>() : nullptr;
      at::parallel_for(0, count, matricesPerTask, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t at = i * size;
          iterate(starts + at, given + at, results + at,
                  kept == nullptr ? nullptr : kept + steps * at, m, static_cast<int>(steps));
        }
      });
    });
    context->save_for_backward({matrices, iterates});
    return result.slice(-1, 0, m);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor& matrices = saved[0];
    const torch::Tensor& iterates = saved[1];
    const torch::Tensor gradient = padded(gradients[0]);
    const std::int64_t m = matrices.size(-2);
    const std::int64_t size = m * paddedColumns(m);
    const std::int64_t steps = iterates.size(1);
    torch::Tensor startGradient = torch::empty_like(matrices);
    torch::Tensor matrixGradient = torch::empty_like(matrices);
    AT_DISPATCH_FLOATING_TYPES(matrices.scalar_type(), "newtonRaphsonSteps", [&] {
      const scalar_t* from = gradient.data_ptr<scalar_t>();
      const scalar_t* given = matrices.data_ptr<scalar_t>();
      const scalar_t* kept = iterates.data_ptr<scalar_t>();
      scalar_t* starts = startGradient.data_ptr<scalar_t>();
      scalar_t* results = matrixGradient.data_ptr<scalar_t>();
      at::parallel_for(0, iterates.size(0), matricesPerTask,
                       [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t i = begin; i < end; ++i) {
                           const std::int64_t at = i * size;
                           iterateBack(from + at, given + at, kept + steps * at, starts + at,
                                       results + at, m, static_cast<int>(steps));
                         }
                       });
    });
    return {startGradient.slice(-1, 0, m), matrixGradient.slice(-1, 0, m), {}};
  }
};

}  // namespace

torch::Tensor newtonRaphsonSteps(const torch::Tensor& start, const torch::Tensor& matrix,
                                 int steps) {
  return NewtonRaphson::apply(start, matrix, static_cast<std::int64_t>(steps));
}

}  // namespace softscope
