#pragma once

#include <torch/types.h>

#include <string>

namespace softscope {

class Recorder;
/// Computes XCiT's attention among channels ("XCiT: Cross-Covariance Image Transformers", 2021,
/// arXiv 2106.09681): V A^T with A = softmax(temperature Q^T K) over the channels of K, where the
/// channels of Q and K are divided by their l2 norms over the tokens. Query, key, value and the
/// result are [B, heads, n, d]; `temperature` is [heads, 1, 1]. Takes O(n d^2). Recorded as A, d x
/// d.
torch::Tensor crossCovarianceAttention(const torch::Tensor& query, const torch::Tensor& key,
                                       const torch::Tensor& value, const torch::Tensor& temperature,
                                       const std::string& layer, Recorder* recorder);

}  // namespace softscope
