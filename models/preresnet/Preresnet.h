#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// Pre-activation ResNets and WRNs with non-local blocks ("Non-local Neural Networks", 2017, arXiv
/// 1711.07971) as Cho et al. ("Rethinking Efficacy of Softmax for Lightweight Non-local Neural
/// Networks", 2022, arXiv 2207.13423) train them. No checkpoints were published, so the names are
/// Softscope's own: `stem`, `stage2.block0.conv1`, `stage2.nonlocal0.theta`, `norm`, `head`.
Family preresnetFamily();

}  // namespace softscope
