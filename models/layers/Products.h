#pragma once

#include "models/cpu/OneDnn.h"

#include <torch/types.h>

namespace softscope {

// The matrix products that networks spend their time in, differentiable. An inference on the CPU is
// left to oneDNN where there is AVX-512, and to LibTorch's BLAS where there is not.

/// Differentiable, and of LibTorch.
torch::Tensor activated(const torch::Tensor& x, Activation activation);

/// activation(x W^T + b), [..., inputs] -> [..., outputs]; weight [outputs, inputs], bias [outputs]
/// or undefined.
torch::Tensor linearProduct(const torch::Tensor& x, const torch::Tensor& weight,
                            const torch::Tensor& bias = {},
                            Activation activation = Activation::None);

/// a b for every matrix, as at::matmul().
torch::Tensor matrixProduct(const torch::Tensor& a, const torch::Tensor& b);

/// The softmax of every row of scores [..., n, m], which an inference on the CPU overwrites.
torch::Tensor softmaxOfRows(const torch::Tensor& scores);

}  // namespace softscope
