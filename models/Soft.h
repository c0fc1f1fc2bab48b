#pragma once

#include "models/Family.h"
#include "models/Trainable.h"

#include <vector>

namespace softscope {

/// SOFT and SOFT++ (fudan-zvg/SOFT): a pyramid whose first three stages attend through landmarks
/// and whose fourth is an ordinary transformer.
Family softFamily();

/// `soft_nano` and `soft_norm_nano`, for pictures of 128 x 128.
std::vector<TrainableArchitecture> trainableSoft();

}  // namespace softscope
