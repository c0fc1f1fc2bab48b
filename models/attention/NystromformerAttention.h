#pragma once

#include "core/model/Recorder.h"

#include <torch/types.h>

#include <string>

namespace softscope {

/// By what K2^T is divided to start the iteration towards its inverse.
enum class NystromformerStart {
  Exact,     ///< the largest column sum of K2 of each head
  Original,  ///< the largest over all heads of a picture, as the first published code had it
};

/// Tensors of one attention layer, [B, heads, n, d] each, and the landmarks [B, heads, m, d] that
/// stand for its queries and keys.
struct NystromformerInput {
  torch::Tensor query;
  torch::Tensor key;
  torch::Tensor value;
  torch::Tensor queryLandmarks;
  torch::Tensor keyLandmarks;
  double scale = 1;  ///< of every product
  NystromformerStart start = NystromformerStart::Exact;
};

/// Nyströmformer ("Nyströmformer: A Nyström-Based Algorithm for Approximating Self-Attention",
/// 2021, arXiv 2102.03902): K1 Z K3 V with K1 = softmax(q k~^T), K3 = softmax(q~ k^T) and Z the
/// iterated inverse of K2 = softmax(q~ k~^T), all products scaled. Memory grows linearly with n.
/// Recorded with K2 and Z as bottleneck and inverse; the description's mechanism and landmarks are
/// set here.
torch::Tensor nystromformerAttention(const NystromformerInput& input, const std::string& layer,
                                     const AttentionDescription& description, Recorder* recorder);

/// Means of m consecutive runs of tokens: [B, heads, n, d] -> [B, heads, m, d], n at least m. Where
/// m does not divide n, the last runs are one token longer.
torch::Tensor meansOfRuns(const torch::Tensor& tokens, std::int64_t landmarks);

/// Six steps Z <- Z/4 (13 I - K Z (15 I - K Z (7 I - K Z))) from K^T over K's largest column sum:
/// [B, heads, m, m].
torch::Tensor invertNystromformer(const torch::Tensor& kernel,
                                  NystromformerStart start = NystromformerStart::Exact);

}  // namespace softscope
