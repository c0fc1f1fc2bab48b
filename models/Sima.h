#pragma once

#include "models/Family.h"
#include "models/Trainable.h"

#include <vector>

namespace softscope {

/// SimA on XCiT's backbone (UCDvision/sima): l1-normalised queries and keys, no softmax.
Family simaFamily();

/// `sima_xcit_nano`: as wide as the published nano models and half as deep, for patches of 8 pixels
/// and pictures of 128 x 128.
std::vector<TrainableArchitecture> trainableSima();

}  // namespace softscope
