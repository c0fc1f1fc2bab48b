#pragma once

#include "core/network/Recorder.h"
#include "models/layers/PairRotation.h"

#include <torch/types.h>

#include <string>

namespace softscope {

/// The features of rotated linear attention, [B, heads, n, d] each.
struct RotatedFeatures {
  torch::Tensor query;    ///< as projected, for the recorded l1 norms
  torch::Tensor key;      ///< as projected, for the recorded l1 norms
  torch::Tensor queries;  ///< q^, the features of the query before rotation
  torch::Tensor keys;     ///< k^, the features of the key before rotation
  PairAngles angles;      ///< rotate both, for all heads or as [heads, n, d / 2]
};

/// Returns elu(x) + 1, the features of "Transformers are RNNs: Fast Autoregressive Transformers
/// with Linear Attention", 2020, arXiv 2006.16236; positive.
torch::Tensor positiveElu(const torch::Tensor& x);

/// Linear attention whose features are rotated after the rows' divisors are computed, as in MILA
/// and RALA: A V with A_ij = rope(q^_i) rope(k^_j)^T / n / (q^_i mean_l(k^_l)^T + 1e-6). Rows do
/// not sum to one, and entries may be negative. The description holds everything but the sizes.
torch::Tensor rotatedLinearAttention(const RotatedFeatures& features, const torch::Tensor& value,
                                     const std::string& layer,
                                     const AttentionDescription& description, Recorder* recorder);

}  // namespace softscope
