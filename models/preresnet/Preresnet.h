#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// Pre-activation ResNets and WRNs with non-local blocks (Cho et al., ICIP 2022; Wang et al.). No
/// checkpoints were published: the names are ours, `stem`, `stage2.block0.conv1`,
/// `stage2.nonlocal0.theta`, `norm`, `head`.
Family preresnetFamily();

}  // namespace softscope
