#pragma once

#include "core/Matrix.h"
#include "core/attention/InverseScheme.h"

#include <vector>

namespace softscope {

/// What a scheme's iteration leaves of one head's bottleneck matrix after as many steps as the
/// released code takes, in float32 as there: 6 for Nystromformer, 20 for all others. `kernels` are
/// those of all heads, because SOFT++ starts all of them alike.
Matrix releasedInverse(const std::vector<Matrix>& kernels, int head, InverseScheme scheme);

}  // namespace softscope
