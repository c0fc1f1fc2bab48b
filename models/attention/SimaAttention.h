#pragma once

#include "core/model/Recorder.h"

#include <torch/types.h>

#include <string>

namespace softscope {

struct MechanismImplementation;

/// The least l1 norm that a channel is divided by, as in the released code.
constexpr double simaEpsilon = 1e-12;

/// In which order SimA's three matrices are multiplied.
enum class SimaOrder {
  Cheaper,    ///< whichever of the two takes fewer products
  Linear,     ///< Q^ (K^^T V): time and memory grow linearly with the tokens
  Quadratic,  ///< (Q^ K^^T) V
};

/// SimA ("SimA: Simple Softmax-free Attention for Vision Transformers", 2022, arXiv 2206.08898): Q^
/// K^^T V, where Q^ and K^ are query and key with each channel divided by its l1 norm over the
/// tokens (at least `epsilon`), prefix tokens included; no softmax and no scale. Query, key and
/// value are [B, heads, n, d]; keys may be other tokens than the queries. In the cheaper order
/// memory grows linearly with n. The description's mechanism is set here.
torch::Tensor simaAttention(const torch::Tensor& query, const torch::Tensor& key,
                            const torch::Tensor& value, double epsilon, const std::string& layer,
                            const AttentionDescription& description, Recorder* recorder,
                            SimaOrder order = SimaOrder::Cheaper);

/// Measured in both orders.
MechanismImplementation simaImplementation();

}  // namespace softscope
