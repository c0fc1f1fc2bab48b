#pragma once

#include "models/cpu/OneDnn.h"

#include <torch/types.h>

#include <string_view>

namespace softscope {

// The matrix products that networks spend their time in; differentiable. Inference on the CPU uses
// oneDNN if the processor has AVX-512, and otherwise LibTorch's BLAS.

/// Returns activation(x), computed by LibTorch; differentiable.
torch::Tensor activated(const torch::Tensor& x, Activation activation);
/// Returns the activation that a value of `--activation` names, of `relu`, `gelu_tanh` and `gelu`.
Activation activationOfOption(std::string_view value);

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

/// The activation in SOFT's blocks, x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 for every
/// element; differentiable. On the CPU in float32 it takes a third of the time of LibTorch's own,
/// whose tanh accounts for a seventh of a forward pass.
torch::Tensor tanhGelu(const torch::Tensor& x);

}  // namespace softscope
