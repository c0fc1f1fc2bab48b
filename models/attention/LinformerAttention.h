#pragma once

#include "core/attention/TokenGrid.h"
#include "core/model/Recorder.h"

#include <torch/types.h>

#include <string>

namespace softscope {

/// Tensors of one attention layer whose keys and values are n tokens shortened to m by E.
struct LinformerInput {
  torch::Tensor query;           ///< [B, heads, n, d]
  torch::Tensor key;             ///< [B, heads, n, d]
  torch::Tensor shortenedKey;    ///< E k, [B, heads, m, d]
  torch::Tensor shortenedValue;  ///< E v, [B, heads, m, d]
  torch::Tensor projection;      ///< E, [heads, m, n]; used by a recorder only
};

/// Linformer ("Linformer: Self-Attention with Linear Complexity", 2020, arXiv 2006.04768):
/// softmax(q (E k)^T / sqrt(d)) (E v), E shared by keys and values. Its map is softmax(q (E k)^T /
/// sqrt(d)) E. The description's mechanism and landmarks are set here.
torch::Tensor linformerAttention(const LinformerInput& input, const std::string& layer,
                                 AttentionDescription description, Recorder* recorder);

/// Linformer with E as a matrix, as published: query, key and value [B, heads, n, d], `projection`
/// is E, [heads, m, n].
torch::Tensor linformerAttention(const torch::Tensor& query, const torch::Tensor& key,
                                 const torch::Tensor& value, const torch::Tensor& projection,
                                 const std::string& layer, AttentionDescription description,
                                 Recorder* recorder);

/// The matrix E [heads, m, n] of a depthwise convolution of stride r over a grid of n tokens, from
/// its filters [heads, 1, r, r]; tokens that no window covers have zeros.
torch::Tensor convolutionMatrix(const torch::Tensor& filters, const TokenGrid& grid);

}  // namespace softscope
