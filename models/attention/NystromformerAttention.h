#pragma once

#include "core/network/Recorder.h"

#include <torch/types.h>

#include <string>

namespace softscope {

/// The divisor of K2^T at the start of the iteration towards its inverse.
enum class NystromformerStart {
  Exact,     ///< the largest column sum of K2 of each head
  Original,  ///< the largest over all heads of a picture, as the first published code had it
};

/// The tensors of one attention layer, [B, heads, n, d] each, and the landmarks [B, heads, m, d] of
/// its queries and keys.
struct NystromformerInput {
  torch::Tensor query;
  torch::Tensor key;
  torch::Tensor value;
  torch::Tensor queryLandmarks;
  torch::Tensor keyLandmarks;
  double scale = 1;  ///< scale of every product
  NystromformerStart start = NystromformerStart::Exact;
};

/// Nyströmformer ("Nyströmformer: A Nyström-Based Algorithm for Approximating Self-Attention",
/// 2021, arXiv 2102.03902): K1 Z K3 V, where K1 = softmax(q k~^T), K3 = softmax(q~ k^T), and Z is
/// the iterated inverse of K2 = softmax(q~ k~^T), with all products scaled. Memory grows linearly
/// with n. Recorded with K2 and Z as bottleneck and inverse. Sets the description's mechanism and
/// landmarks.
torch::Tensor nystromformerAttention(const NystromformerInput& input, const std::string& layer,
                                     const AttentionDescription& description, Recorder* recorder);

/// Returns the means of m consecutive runs of tokens: [B, heads, n, d] -> [B, heads, m, d], with n
/// at least m. If m does not divide n, the last runs are one token longer.
torch::Tensor meansOfRuns(const torch::Tensor& tokens, std::int64_t landmarks);

/// Takes steps Z <- Z/4 (13 I - K Z (15 I - K Z (7 I - K Z))) from `start` towards the inverse of
/// K: [B, heads, m, m].
torch::Tensor iterateTowardsInverse(const torch::Tensor& kernel, const torch::Tensor& start,
                                    int steps);

/// Takes six steps of iterateTowardsInverse(), starting from K^T divided by K's largest column sum:
/// [B, heads, m, m].
torch::Tensor invertNystromformer(const torch::Tensor& kernel,
                                  NystromformerStart start = NystromformerStart::Exact);

}  // namespace softscope
