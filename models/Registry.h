#pragma once

#include "models/identify/Family.h"

#include <vector>

namespace softscope {

/// Returns every family that Softscope knows. A new family has a folder of its own in models/ and
/// an entry in Registry.cpp.
const std::vector<Family>& families();

}  // namespace softscope
