#pragma once

#include <torch/types.h>

#include <optional>

namespace softscope {

/// What every element of a linear layer's result goes through.
enum class Activation {
  None,
  Relu,      ///< max(x, 0)
  Gelu,      ///< x (1 + erf(x / sqrt(2))) / 2
  TanhGelu,  ///< as tanhGelu()
};

// What oneDNN computes faster than LibTorch. Nothing where a tensor is not isInferredOnCpu(), or
// where Softscope is built without oneDNN.

/// activation(a b + bias) for every matrix of a [..., n, k] and b [..., k, m], each row or each
/// column of which lies together in memory; bias [m] or undefined. Nothing on a processor without
/// AVX-512, for which oneDNN's products are slower than OpenBLAS.
std::optional<torch::Tensor> multiplyByOneDnn(const torch::Tensor& a, const torch::Tensor& b,
                                              const torch::Tensor& bias, Activation activation);

/// activation(x), of any shape.
std::optional<torch::Tensor> activateByOneDnn(const torch::Tensor& x, Activation activation);

/// The softmax of every row of x, in place of x, which is contiguous.
std::optional<torch::Tensor> softmaxByOneDnn(const torch::Tensor& x);

/// The layer norm of the last dimension of x, with its `weight` and `bias` [channels].
std::optional<torch::Tensor> normaliseByOneDnn(const torch::Tensor& x, const torch::Tensor& weight,
                                               const torch::Tensor& bias, double epsilon);

}  // namespace softscope
