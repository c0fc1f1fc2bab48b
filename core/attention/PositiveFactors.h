#pragma once

#include "core/attention/AttentionMap.h"

namespace softscope {

/// True if a head of a map is a product of factors without negative entries, so that none of its
/// weights is negative. False for maps that are not factored, and if an entry is not a number.
bool hasPositiveFactors(const AttentionMap& map, int head);

}  // namespace softscope
