#pragma once

#include <torch/types.h>

namespace softscope {

// The Newton-Raphson inverses of SOFT's bottleneck matrix ("SOFT: Softmax-free Transformer with
// Linear Complexity", 2021, arXiv 2110.11945; SOFT++: "Softmax-free Linear Transformers", 2024,
// arXiv 2207.03341) as the code at fudan-zvg/SOFT has them, in its own float32 order. `kernel` is
// A, [B, heads, m, m], symmetric with ones on the diagonal.

/// SOFT: 20 steps V <- 2V - V B V on B = A + 0.01 I, started from a B with a = 1.8 / |A|_inf^2 per
/// matrix.
torch::Tensor invertSoft(const torch::Tensor& kernel);

/// SOFT++: 20 steps on A itself, started from a A; a is halved, at most 10 times, while the largest
/// column sum of |I - a A A| over all heads of a picture exceeds 1.01. The result is before
/// D^(-1/2) is applied.
torch::Tensor invertSoftNorm(const torch::Tensor& kernel);

/// SOFT++: D^(-1/2) V D^(-1/2), D the row sums of A.
torch::Tensor normaliseInverse(const torch::Tensor& inverse, const torch::Tensor& kernel);

}  // namespace softscope
