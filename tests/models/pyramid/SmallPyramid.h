#pragma once

#include "models/Trainable.h"

#include <string>

namespace softscope {

/// A pyramid of one block a stage, its heads 8 channels wide, filled at random.
TrainableArchitecture smallPyramid(const std::string& mechanism);

}  // namespace softscope
