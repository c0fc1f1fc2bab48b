#pragma once

#include "core/analysis/reach/Reach.h"

namespace softscope {

/// Enters the token that a request asks about, of tokens that begin with `prefixTokens` before the
/// patches, which lie on `grid`. Throws InspectionError if there is no such token.
void chooseToken(Reach& reach, const TokenGrid& grid, int prefixTokens,
                 const ReachRequest& request);

}  // namespace softscope
