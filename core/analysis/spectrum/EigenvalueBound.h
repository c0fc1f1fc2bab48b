#pragma once

#include "core/attention/AttentionMap.h"

#include <optional>
#include <string>

namespace softscope {

/// An upper bound on the magnitude of all eigenvalues, and its reason.
struct EigenvalueBound {
  double value = 0;
  std::string reason;
};

/// Returns the bound for one head of a map: 1 if the rows are weights that sum to one (Proposition
/// 3 of SOFT++, "Softmax-free Linear Transformers", 2024, arXiv 2207.03341, which holds for Q != K
/// as well); the number of tokens for the exact Gaussian kernel (Proposition 4); empty for other
/// maps, and for maps that are not square. Factored, dense and block maps are judged by their
/// numbers; a block map's rows may sum to less than one, too.
std::optional<EigenvalueBound> eigenvalueBound(const AttentionMap& map, int head);

/// Returns the bound for a mechanism's bottleneck matrix: m for the Gaussian kernel of SOFT and
/// SOFT++, 1 if the rows are weights that sum to one, empty otherwise.
std::optional<EigenvalueBound> bottleneckBound(const std::string& mechanism, const Matrix& kernel);

}  // namespace softscope
