#pragma once

#include "core/attention/TokenGrid.h"
#include "core/network/Recorder.h"

#include <torch/types.h>

#include <string>

namespace softscope {

/// CosFormer ("cosFormer: Rethinking Softmax in Attention", 2022, arXiv 2202.08791), extended to
/// grids of H x W tokens as in appendix A.4 of "SimA: Simple Softmax-free Attention for Vision
/// Transformers", 2022, arXiv 2206.08898:
///   S_ij = relu(q_i) . relu(k_j) cos(pi/2 (x_i - x_j)/W) cos(pi/2 (y_i - y_j)/H),
/// rows divided by their sums, at least 1e-6. Expanding both cosines of differences leaves four
/// products of features. Query, key and value are [B, heads, H W, d]. The description's mechanism
/// is set here.
torch::Tensor cosformerAttention(const torch::Tensor& query, const torch::Tensor& key,
                                 const torch::Tensor& value, const TokenGrid& grid,
                                 const std::string& layer, AttentionDescription description,
                                 Recorder* recorder);

/// CosFormer without its re-weighting, as Table 2 of the same paper compares it:
///   S_ij = relu(q_i) . relu(k_j),
/// rows divided by their sums, at least 1e-6. Query, key and value are [B, heads, n, d]. The
/// description's mechanism is set here.
torch::Tensor plainCosformerAttention(const torch::Tensor& query, const torch::Tensor& key,
                                      const torch::Tensor& value, const std::string& layer,
                                      AttentionDescription description, Recorder* recorder);

}  // namespace softscope
