#pragma once

#include "core/Matrix.h"

#include <vector>

namespace softscope {

// One map for all heads. `heads` holds, for each head, the row of one query or the column of one
// key; there is at least one, and all are equally long. Values are used as they are, so that a head
// with larger numbers counts for more, as it does in the network.

/// Returns the signed mean over heads of each entry.
Vector meanOverHeads(const std::vector<Vector>& heads);

/// Returns for each entry the value with the largest magnitude over heads, with its sign. For
/// attention that is never negative this is the maximum.
Vector largestOverHeads(const std::vector<Vector>& heads);

}  // namespace softscope
