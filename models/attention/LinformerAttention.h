#pragma once

#include "core/attention/TokenGrid.h"
#include "core/network/Recorder.h"

#include <torch/types.h>

#include <string>

namespace softscope {

/// The tensors of one attention layer that shortens its keys and values from n to m tokens by E.
struct LinformerInput {
  torch::Tensor query;           ///< [B, heads, n, d]
  torch::Tensor key;             ///< [B, heads, n, d]
  torch::Tensor value;           ///< [B, heads, n, d]; only needed by a recorder
  torch::Tensor shortenedKey;    ///< E k, [B, heads, m, d]
  torch::Tensor shortenedValue;  ///< E v, [B, heads, m, d]
  torch::Tensor projection;      ///< E, [heads, m, n]; only needed by a recorder
};

/// Linformer ("Linformer: Self-Attention with Linear Complexity", 2020, arXiv 2006.04768):
/// softmax(q (E k)^T / sqrt(d)) (E v), where keys and values share E. Its map is softmax(q (E k)^T
/// / sqrt(d)) E. Sets the description's mechanism and landmarks.
torch::Tensor linformerAttention(const LinformerInput& input, const std::string& layer,
                                 AttentionDescription description, Recorder* recorder);

/// Linformer with E as a matrix, as published: query, key and value are [B, heads, n, d];
/// `projection` is E, [heads, m, n].
torch::Tensor linformerAttention(const torch::Tensor& query, const torch::Tensor& key,
                                 const torch::Tensor& value, const torch::Tensor& projection,
                                 const std::string& layer, AttentionDescription description,
                                 Recorder* recorder);

/// Returns the matrix E [heads, m, n] of a depthwise convolution of stride r over a grid of n
/// tokens, from its filters [heads, 1, r, r]. Tokens that no window covers have zeros.
torch::Tensor convolutionMatrix(const torch::Tensor& filters, const TokenGrid& grid);

}  // namespace softscope
