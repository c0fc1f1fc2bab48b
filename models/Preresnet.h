#pragma once

#include "models/Family.h"
#include "models/Trainable.h"

#include <vector>

namespace softscope {

/// Pre-activation ResNets and WRNs with non-local blocks (Cho et al., ICIP 2022; Wang et al.). No
/// checkpoints were published: the names are ours, `stem`, `stage2.block0.conv1`,
/// `stage2.nonlocal0.theta`, `norm`, `head`.
Family preresnetFamily();

/// `preresnet20_nl`, `preresnet20_nl_scaled`, and both with `_magnitude` and `_direction`: 20
/// layers, three non-local blocks of four heads in the second stage, for CIFAR-10.
std::vector<TrainableArchitecture> trainablePreresnets();

}  // namespace softscope
