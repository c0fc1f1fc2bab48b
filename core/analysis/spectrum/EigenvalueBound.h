#pragma once

#include "core/attention/AttentionMap.h"

#include <optional>
#include <string>

namespace softscope {

/// What no eigenvalue's magnitude can exceed, and why.
struct EigenvalueBound {
  double value = 0;
  std::string reason;
};

/// 1 where the rows are weights that sum to one (Proposition 3 of SOFT++, "Softmax-free Linear
/// Transformers", 2024, arXiv 2207.03341, which holds for Q != K as well); the number of tokens for
/// the exact Gaussian kernel (Proposition 4); nothing for other maps, and for maps that are not
/// square. Factored and dense maps are judged by their numbers.
std::optional<EigenvalueBound> eigenvalueBound(const AttentionMap& map, int head);

/// What no eigenvalue of a mechanism's bottleneck matrix exceeds: m for the Gaussian kernel of SOFT
/// and SOFT++, 1 where the rows are weights that sum to one; nothing otherwise.
std::optional<EigenvalueBound> bottleneckBound(const std::string& mechanism, const Matrix& kernel);

}  // namespace softscope
