#pragma once

#include <torch/types.h>

namespace softscope {

/// Returns exp(-|a - b|^2 / 2) for every row of a with every row of b, Eq. 5 of "SOFT: Softmax-free
/// Transformer with Linear Complexity", 2021, arXiv 2110.11945: [..., n, d], [..., m, d] -> [...,
/// n, m]. Differentiable.
torch::Tensor gaussianKernel(const torch::Tensor& a, const torch::Tensor& b);

// The Newton-Raphson inverses of SOFT's bottleneck matrix ("SOFT: Softmax-free Transformer with
// Linear Complexity", 2021, arXiv 2110.11945; SOFT++: "Softmax-free Linear Transformers", 2024,
// arXiv 2207.03341) as in the code at fudan-zvg/SOFT, with the same order of float32 operations.
// `kernel` is A, [B, heads, m, m], symmetric with ones on the diagonal.

/// The number of steps of published networks, `newton_maxiter` in the repository.
constexpr int publishedNewtonSteps = 20;

/// The gradient of SOFT's inverse.
enum class InverseGradient {
  Exact,  ///< that of an exact inverse, which the authors train with
  Steps,  ///< that of the steps, which are the network's computation; they need not converge
};

/// SOFT: takes `steps` steps V <- 2V - V B V on B = A + 0.01 I, starting from a B with a = 1.8 /
/// |A|_inf^2 for each matrix.
torch::Tensor invertSoft(const torch::Tensor& kernel,
                         InverseGradient gradient = InverseGradient::Exact,
                         int steps = publishedNewtonSteps);

/// SOFT++: takes `steps` steps on A itself, starting from a A, where a is halved, at most 10 times,
/// as long as the largest column sum of |I - a A A| over all heads of a picture exceeds 1.01.
/// D^(-1/2) is not yet applied to the result.
torch::Tensor invertSoftNorm(const torch::Tensor& kernel, int steps = publishedNewtonSteps);

/// SOFT++: returns D^(-1/2) V D^(-1/2), where D holds the row sums of A.
torch::Tensor normaliseInverse(const torch::Tensor& inverse, const torch::Tensor& kernel);

}  // namespace softscope
