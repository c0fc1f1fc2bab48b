#pragma once

#include "core/Matrix.h"
#include "core/attention/InverseScheme.h"

#include <vector>

namespace softscope {

/// Returns a scheme's iterate for one head's bottleneck matrix after as many steps as the released
/// code takes (6 for Nystromformer, 20 for all others), in float32 like that code. `kernels` holds
/// the matrices of all heads, because SOFT++ gives all of them the same start.
Matrix releasedInverse(const std::vector<Matrix>& kernels, int head, InverseScheme scheme);

}  // namespace softscope
