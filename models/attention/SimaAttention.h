#pragma once

#include "core/network/Recorder.h"

#include <torch/types.h>

#include <optional>
#include <string>

namespace softscope {

/// The smallest l1 norm that a channel is divided by, as in the released code.
constexpr double simaEpsilon = 1e-12;

/// The norm over tokens that each channel of queries and keys is divided by (SimA, Section 4.6).
enum class SimaNorm {
  L1,    ///< `sima`: as published
  L2,    ///< `sima_l2`: costs 2.9 points of accuracy, according to the paper
  None,  ///< `sima_unnormalised`: did not converge, according to the paper
};

/// Returns the name of the norm's Mechanism.
std::string mechanismName(SimaNorm norm);
/// Returns the norm of SimA's mechanism with this name; nothing for other mechanisms.
std::optional<SimaNorm> simaNormOf(const std::string& mechanism);

/// Returns the norm of each channel of x [B, heads, n, d] over the n tokens, at least `epsilon`:
/// [B, heads, 1, d]; a single 1 for SimaNorm::None.
torch::Tensor channelNorms(const torch::Tensor& x, SimaNorm norm, double epsilon);

/// The order in which SimA's three matrices are multiplied.
enum class SimaOrder {
  Cheaper,    ///< the order that takes fewer multiplications
  Linear,     ///< Q^ (K^^T V): time and memory grow linearly with the tokens
  Quadratic,  ///< (Q^ K^^T) V
};

/// SimA ("SimA: Simple Softmax-free Attention for Vision Transformers", 2022, arXiv 2206.08898): Q^
/// K^^T V, where Q^ and K^ are query and key with each channel divided by its norm over the tokens,
/// prefix tokens included; no softmax and no scale. Query, key and value are [B, heads, n, d]; keys
/// may be other tokens than the queries. In the cheaper order memory grows linearly with n. Sets
/// the description's mechanism and its parameter D, which is d.
torch::Tensor simaAttention(const torch::Tensor& query, const torch::Tensor& key,
                            const torch::Tensor& value, SimaNorm norm, const std::string& layer,
                            const AttentionDescription& description, Recorder* recorder,
                            SimaOrder order = SimaOrder::Cheaper);

}  // namespace softscope
