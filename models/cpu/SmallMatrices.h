#pragma once

#include <torch/types.h>

namespace softscope {

/// Takes steps V <- 2V - V A V for every matrix A of [..., m, m], starting from V = start A with
/// start [..., 1, 1], on the CPU. Each thread takes the steps of one matrix after the other: small
/// ones are spared library calls, each of which costs as much as its product or several times that,
/// and threads never wait for each other. Differentiable in both, with the exact gradient if A is
/// symmetric, as a bottleneck matrix is.
torch::Tensor newtonRaphsonSteps(const torch::Tensor& start, const torch::Tensor& matrix,
                                 int steps);

}  // namespace softscope
