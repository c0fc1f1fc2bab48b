#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"

#include <optional>

namespace softscope {

/// How much a head's matrix is made of vertical lines (Fig. 1 of "Rethinking Efficacy of Softmax
/// for Lightweight Non-local Neural Networks", 2022, arXiv 2207.13423): the share of the variance
/// of its entries that the means of its columns explain,
///
///   queries * sum_j (mean_j - mean)^2 / sum_ij (a_ij - mean)^2.
///
/// 1 where every query attends alike, 0 where every key is attended to equally on average; nothing
/// for a constant matrix. All is centred before it is squared, so that a small variation about a
/// large mean counts as exactly as a large one. Factored maps cost O(n r^2), others one pass over
/// their rows. May throw Cancelled.
std::optional<double> lineScore(const AttentionMap& map, int head, const Progress& progress = {});

}  // namespace softscope
