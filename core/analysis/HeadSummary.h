#pragma once

#include "core/Matrix.h"

#include <vector>

namespace softscope {

// One map for all heads: `heads` are the rows of one query (or the columns of one key), a head
// each, all equally long and at least one. Raw values, so that a head of larger numbers counts for
// more, as it does in the network.

/// The mean over heads of each entry, signed.
Vector meanOverHeads(const std::vector<Vector>& heads);

/// Of each entry the one largest in magnitude over heads, with its sign. For attention that is
/// never negative this is the maximum.
Vector largestOverHeads(const std::vector<Vector>& heads);

}  // namespace softscope
