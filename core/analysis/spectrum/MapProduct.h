#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"
#include "core/linalg/LinearOperator.h"

#include <cstddef>
#include <memory>

namespace softscope {

/// The cheapest product of one head of a map: of factors from the factors, of a convolution from
/// its filter, of a sum from both of its terms; of any other map as MapOperator has it, which holds
/// at most `budgetBytes`. Map and progress outlive it; a product may throw Cancelled.
std::unique_ptr<LinearOperator> mapProduct(const AttentionMap& map, int head,
                                           std::size_t budgetBytes, const Progress& progress);

}  // namespace softscope
