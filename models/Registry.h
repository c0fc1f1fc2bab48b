#pragma once

#include "models/identify/Family.h"

#include <vector>

namespace softscope {

/// Every family Softscope knows. A new one is a file in this folder and a line in Registry.cpp.
const std::vector<Family>& families();

}  // namespace softscope
