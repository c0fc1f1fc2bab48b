#include "models/SmallMatrices.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace softscope {

namespace {

/// Columns [column, column + Width) of the row-major product a b of m x m matrices: a strip that
/// stays in registers.
template <typename T, std::int64_t Width>
void multiplyStrip(const T* a, const T* b, T* product, std::int64_t m, std::int64_t column) {
  for (std::int64_t row = 0; row < m; ++row) {
    T sums[Width] = {};
    for (std::int64_t k = 0; k < m; ++k) {
      const T factor = a[row * m + k];
      const T* line = b + k * m + column;
      for (std::int64_t j = 0; j < Width; ++j) sums[j] += factor * line[j];
    }
    std::copy_n(sums, Width, product + row * m + column);
  }
}

template <typename T>
void multiply(const T* a, const T* b, T* product, std::int64_t m) {
  std::int64_t column = 0;
  for (; column + 16 <= m; column += 16) multiplyStrip<T, 16>(a, b, product, m, column);
  for (; column + 4 <= m; column += 4) multiplyStrip<T, 4>(a, b, product, m, column);
  for (; column < m; ++column) multiplyStrip<T, 1>(a, b, product, m, column);
}

/// One matrix's iteration; `iterates` takes the `steps` matrices before each step.
template <typename T>
void iterate(const T* start, const T* matrix, T* result, T* iterates, std::int64_t m, int steps) {
  const std::int64_t size = m * m;
  std::vector<T> memory(static_cast<std::size_t>(2 * size));
  T* product = memory.data();
  T* correction = product + size;
  std::copy_n(start, size, result);
  for (int step = 0; step < steps; ++step) {
    if (iterates != nullptr) std::copy_n(result, size, iterates + step * size);
    multiply(result, matrix, product, m);
    multiply(product, result, correction, m);
    for (std::int64_t i = 0; i < size; ++i) result[i] = 2 * result[i] - correction[i];
  }
}

/// Gradients of one matrix's iteration. With G symmetric: dV = 2G - (G V A + A V G) and
/// dA = -V G V, step by step from the last.
template <typename T>
void iterateBack(const T* gradient, const T* matrix, const T* iterates, T* startGradient,
                 T* matrixGradient, std::int64_t m, int steps) {
  const std::int64_t size = m * m;
  std::vector<T> memory(static_cast<std::size_t>(2 * size));
  T* product = memory.data();
  T* other = product + size;
  T* flow = startGradient;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < m; ++j) {
      // Only the symmetric part acts on symmetric matrices.
      flow[i * m + j] = (gradient[i * m + j] + gradient[j * m + i]) / 2;
    }
  }
  std::fill_n(matrixGradient, size, T(0));
  for (int step = steps - 1; step >= 0; --step) {
    const T* inverse = iterates + step * size;
    multiply(flow, inverse, product, m);
    multiply(inverse, product, other, m);
    for (std::int64_t i = 0; i < size; ++i) matrixGradient[i] -= other[i];
    multiply(product, matrix, other, m);
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < m; ++j) {
        flow[i * m + j] = 2 * flow[i * m + j] - (other[i * m + j] + other[j * m + i]);
      }
    }
  }
}

struct NewtonRaphson : torch::autograd::Function<NewtonRaphson> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& start, const torch::Tensor& matrix,
                               std::int64_t steps) {
    const torch::Tensor from = start.contiguous();
    const torch::Tensor matrices = matrix.contiguous();
    const std::int64_t m = matrices.size(-1);
    const std::int64_t count = matrices.numel() / (m * m);
    const bool differentiable = start.requires_grad() || matrix.requires_grad();
    torch::Tensor result = torch::empty_like(matrices);
    torch::Tensor iterates =
        torch::empty({differentiable ? count : 0, steps, m, m}, matrices.options());
    AT_DISPATCH_FLOATING_TYPES(matrices.scalar_type(), "newtonRaphsonSteps", [&] {
      const scalar_t* starts = from.data_ptr<scalar_t>();
      const scalar_t* given = matrices.data_ptr<scalar_t>();
      scalar_t* results = result.data_ptr<scalar_t>();
      scalar_t* kept = differentiable ? iterates.data_ptr<scalar_t>() : nullptr;
      at::parallel_for(0, count, 8, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t at = i * m * m;
          iterate(starts + at, given + at, results + at,
                  kept == nullptr ? nullptr : kept + steps * at, m, static_cast<int>(steps));
        }
      });
    });
    context->save_for_backward({matrices, iterates});
    return result;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor& matrices = saved[0];
    const torch::Tensor& iterates = saved[1];
    const torch::Tensor gradient = gradients[0].contiguous();
    const std::int64_t m = matrices.size(-1);
    const std::int64_t steps = iterates.size(1);
    torch::Tensor startGradient = torch::empty_like(matrices);
    torch::Tensor matrixGradient = torch::empty_like(matrices);
    AT_DISPATCH_FLOATING_TYPES(matrices.scalar_type(), "newtonRaphsonSteps", [&] {
      const scalar_t* from = gradient.data_ptr<scalar_t>();
      const scalar_t* given = matrices.data_ptr<scalar_t>();
      const scalar_t* kept = iterates.data_ptr<scalar_t>();
      scalar_t* starts = startGradient.data_ptr<scalar_t>();
      scalar_t* results = matrixGradient.data_ptr<scalar_t>();
      at::parallel_for(0, iterates.size(0), 8, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t at = i * m * m;
          iterateBack(from + at, given + at, kept + steps * at, starts + at, results + at, m,
                      static_cast<int>(steps));
        }
      });
    });
    return {startGradient, matrixGradient, {}};
  }
};

}  // namespace

torch::Tensor newtonRaphsonSteps(const torch::Tensor& start, const torch::Tensor& matrix,
                                 int steps) {
  return NewtonRaphson::apply(start, matrix, static_cast<std::int64_t>(steps));
}

}  // namespace softscope
