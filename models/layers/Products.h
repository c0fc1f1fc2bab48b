#pragma once

#include "models/cpu/OneDnn.h"

#include <torch/types.h>

namespace softscope {

// The matrix products that networks spend their time in; differentiable. Inference on the CPU uses
// oneDNN if the processor has AVX-512, and otherwise LibTorch's BLAS.

/// Returns activation(x), computed by LibTorch; differentiable.
torch::Tensor activated(const torch::Tensor& x, Activation activation);

/// Returns activation(x W^T + b), [..., inputs] -> [..., outputs]; weight is [outputs, inputs],
/// bias [outputs] or undefined.
torch::Tensor linearProduct(const torch::Tensor& x, const torch::Tensor& weight,
                            const torch::Tensor& bias = {},
                            Activation activation = Activation::None);

/// Returns a b for every matrix, like at::matmul().
torch::Tensor matrixProduct(const torch::Tensor& a, const torch::Tensor& b);

/// Returns the softmax of every row of scores [..., n, m], which inference on the CPU overwrites.
torch::Tensor softmaxOfRows(const torch::Tensor& scores);

/// x sigmoid(1.702 x), an approximation of GELU that CvT uses, and CLIP as OpenAI trained it.
inline torch::Tensor quickGelu(const torch::Tensor& x) {
  return x.mul(1.702).sigmoid_() * x;
}

}  // namespace softscope
