#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"
#include "core/linalg/IterativeSpectrum.h"

#include <cstddef>
#include <memory>

namespace softscope {

/// Returns the cheapest product of one head of a map: factors multiply in turn, a ProductMap
/// multiplies by itself, a sum adds the products of its two terms; any other map becomes a
/// MapOperator, which holds at most `budgetBytes`. Map and progress must outlive the product, which
/// may throw Cancelled.
std::unique_ptr<LinearOperator> mapProduct(const AttentionMap& map, int head,
                                           std::size_t budgetBytes, const Progress& progress);

}  // namespace softscope
