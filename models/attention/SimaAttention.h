#pragma once

#include "core/model/Recorder.h"

#include <torch/types.h>

#include <optional>
#include <string>

namespace softscope {

/// The least l1 norm that a channel is divided by, as in the released code.
constexpr double simaEpsilon = 1e-12;

/// What each channel of queries and keys is divided by, over the tokens (SimA, Section 4.6).
enum class SimaNorm {
  L1,    ///< `sima`: as published
  L2,    ///< `sima_l2`: 2.9 points of accuracy less, the paper says
  None,  ///< `sima_unnormalised`: did not converge, the paper says
};

/// The name of its Mechanism.
std::string mechanismName(SimaNorm norm);
/// The norm of SimA's mechanism of that name; nothing for other mechanisms.
std::optional<SimaNorm> simaNormOf(const std::string& mechanism);

/// The norm of each channel of x [B, heads, n, d] over the n tokens, at least `epsilon`: [B, heads,
/// 1, d]; a single 1 for no norm.
torch::Tensor channelNorms(const torch::Tensor& x, SimaNorm norm, double epsilon);

/// In which order SimA's three matrices are multiplied.
enum class SimaOrder {
  Cheaper,    ///< whichever of the two takes fewer products
  Linear,     ///< Q^ (K^^T V): time and memory grow linearly with the tokens
  Quadratic,  ///< (Q^ K^^T) V
};

/// SimA ("SimA: Simple Softmax-free Attention for Vision Transformers", 2022, arXiv 2206.08898): Q^
/// K^^T V, where Q^ and K^ are query and key with each channel divided by its norm over the tokens,
/// prefix tokens included; no softmax and no scale. Query, key and value are [B, heads, n, d]; keys
/// may be other tokens than the queries. In the cheaper order memory grows linearly with n. The
/// description's mechanism and its parameter D, which is d, are set here.
torch::Tensor simaAttention(const torch::Tensor& query, const torch::Tensor& key,
                            const torch::Tensor& value, SimaNorm norm, const std::string& layer,
                            const AttentionDescription& description, Recorder* recorder,
                            SimaOrder order = SimaOrder::Cheaper);

}  // namespace softscope
