#pragma once

#include <torch/types.h>

#include <optional>

namespace softscope {

/// The function applied to every element of a linear layer's result.
enum class Activation {
  None,
  Relu,      ///< max(x, 0)
  Gelu,      ///< x (1 + erf(x / sqrt(2))) / 2
  TanhGelu,  ///< the same as tanhGelu()
};

// Operations that oneDNN computes faster than LibTorch. They return nothing if a tensor is not
// isInferredOnCpu(), or if Softscope is built without oneDNN. Within at::parallel_for(), one thread
// computes each.

/// Returns true if multiplyByOneDnn() multiplies at all: on processors with AVX-512.
bool multipliesByOneDnn();

/// Returns activation(a b + bias) for every matrix of a [..., n, k] and b [..., k, m], whose rows
/// or columns must be contiguous; bias is [m] or undefined. Returns nothing on a processor without
/// AVX-512, for which oneDNN's products are slower than OpenBLAS.
std::optional<torch::Tensor> multiplyByOneDnn(const torch::Tensor& a, const torch::Tensor& b,
                                              const torch::Tensor& bias, Activation activation);

/// Returns activation(x), for x of any shape.
std::optional<torch::Tensor> activateByOneDnn(const torch::Tensor& x, Activation activation);

/// Computes the softmax of every row of x in place; x must be contiguous and finite.
std::optional<torch::Tensor> softmaxByOneDnn(const torch::Tensor& x);

/// Returns the layer norm over the last dimension of x, with `weight` and `bias` [channels].
std::optional<torch::Tensor> normaliseByOneDnn(const torch::Tensor& x, const torch::Tensor& weight,
                                               const torch::Tensor& bias, double epsilon);

}  // namespace softscope
