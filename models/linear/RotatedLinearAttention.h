#pragma once

#include "core/model/Recorder.h"
#include "models/layers/PairRotation.h"

#include <torch/types.h>

#include <string>

namespace softscope {

/// What rotated linear attention attends with, [B, heads, n, d] each.
struct RotatedFeatures {
  torch::Tensor query;    ///< as projected, for the l1 norms that are recorded
  torch::Tensor key;      ///< likewise
  torch::Tensor queries;  ///< q^, the query's features before the rotation
  torch::Tensor keys;     ///< k^, the key's
  PairAngles angles;      ///< by which both are turned, of all heads or [heads, n, d / 2]
};

/// elu(x) + 1, the features of "Transformers are RNNs: Fast Autoregressive Transformers with Linear
/// Attention", 2020, arXiv 2006.16236; positive.
torch::Tensor positiveElu(const torch::Tensor& x);

/// Linear attention whose features are turned after the rows' divisors are taken, as MILA and RALA
/// have it: A V with A_ij = rope(q^_i) rope(k^_j)^T / n / (q^_i mean_l(k^_l)^T + 1e-6). Rows do not
/// sum to one, and entries may be negative. The description says everything but the sizes.
torch::Tensor rotatedLinearAttention(const RotatedFeatures& features, const torch::Tensor& value,
                                     const std::string& layer,
                                     const AttentionDescription& description, Recorder* recorder);

}  // namespace softscope
