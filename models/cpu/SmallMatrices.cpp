#include "models/cpu/SmallMatrices.h"

#include "models/cpu/NewtonRaphsonLoops.h"
#include "models/cpu/SmallGemm.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstdint>
#include <vector>

namespace softscope {

namespace {

constexpr std::int64_t matricesPerTask = 1;

struct NewtonRaphson : torch::autograd::Function<NewtonRaphson> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& start, const torch::Tensor& matrix,
                               std::int64_t steps) {
    const torch::Tensor factors = start.contiguous();
    const torch::Tensor given = matrix.contiguous();
    const std::int64_t m = matrix.size(-1);
    const std::int64_t size = m * paddedColumns(m);
    const std::int64_t count = factors.numel();
    const bool differentiable = start.requires_grad() || matrix.requires_grad();
    std::vector<std::int64_t> shape = matrix.sizes().vec();
    shape.back() = paddedColumns(m);
    const torch::Tensor matrices = torch::empty(shape, matrix.options());
    const torch::Tensor result = torch::empty_like(given);
    const torch::Tensor iterates =
        torch::empty({differentiable ? count : 0, steps, m, paddedColumns(m)}, matrix.options());
    AT_DISPATCH_FLOATING_TYPES(matrix.scalar_type(), "newtonRaphsonSteps", [&] {
      const scalar_t* multiples = factors.data_ptr<scalar_t>();
      const scalar_t* rows = given.data_ptr<scalar_t>();
      scalar_t* all = matrices.data_ptr<scalar_t>();
      scalar_t* results = result.data_ptr<scalar_t>();
      scalar_t* kept = differentiable ? iterates.data_ptr<scalar_t>() : nullptr;
      at::parallel_for(0, count, matricesPerTask, [&](std::int64_t begin, std::int64_t end) {
        std::vector<scalar_t> inverse(static_cast<std::size_t>(size));
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t at = i * size;
          padRows(rows + i * m * m, all + at, m);
          iterateNewtonRaphson(multiples[i], all + at, inverse.data(),
                               kept == nullptr ? nullptr : kept + steps * at, m,
                               static_cast<int>(steps));
          unpadRows(inverse.data(), results + i * m * m, m);
        }
      });
    });
    context->save_for_backward({factors, matrices, iterates});
    return result;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor& factors = saved[0];
    const torch::Tensor& matrices = saved[1];
    const torch::Tensor& iterates = saved[2];
    const torch::Tensor gradient = gradients[0].contiguous();
    const std::int64_t m = matrices.size(-2);
    const std::int64_t size = m * paddedColumns(m);
    const std::int64_t steps = iterates.size(1);
    torch::Tensor startGradient = torch::empty_like(matrices);
    torch::Tensor matrixGradient = torch::empty_like(matrices);
    AT_DISPATCH_FLOATING_TYPES(matrices.scalar_type(), "newtonRaphsonSteps", [&] {
      const scalar_t* rows = gradient.data_ptr<scalar_t>();
      const scalar_t* given = matrices.data_ptr<scalar_t>();
      const scalar_t* kept = iterates.data_ptr<scalar_t>();
      scalar_t* starts = startGradient.data_ptr<scalar_t>();
      scalar_t* results = matrixGradient.data_ptr<scalar_t>();
      at::parallel_for(
          0, iterates.size(0), matricesPerTask, [&](std::int64_t begin, std::int64_t end) {
            std::vector<scalar_t> from(static_cast<std::size_t>(size));
            for (std::int64_t i = begin; i < end; ++i) {
              const std::int64_t at = i * size;
              padRows(rows + i * m * m, from.data(), m);
              iterateNewtonRaphsonBack(from.data(), given + at, kept + steps * at, starts + at,
                                       results + at, m, static_cast<int>(steps));
            }
          });
    });
    // The first iterate is the matrix multiplied by `start`.
    const torch::Tensor ofFirst = startGradient.slice(-1, 0, m);
    return {(ofFirst * matrices.slice(-1, 0, m)).sum({-2, -1}, true),
            matrixGradient.slice(-1, 0, m) + factors * ofFirst,
            {}};
  }
};

}  // namespace

torch::Tensor newtonRaphsonSteps(const torch::Tensor& start, const torch::Tensor& matrix,
                                 int steps) {
  std::vector<std::int64_t> shape = matrix.sizes().vec();
  shape.end()[-1] = shape.end()[-2] = 1;
  return NewtonRaphson::apply(start.expand(shape), matrix, static_cast<std::int64_t>(steps));
}

}  // namespace softscope
