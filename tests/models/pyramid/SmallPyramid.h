#pragma once

#include "models/Trainable.h"

#include <string>

namespace softscope {

/// Returns a pyramid with one block per stage and heads of 8 channels, initialised at random.
TrainableArchitecture smallPyramid(const std::string& mechanism);

}  // namespace softscope
