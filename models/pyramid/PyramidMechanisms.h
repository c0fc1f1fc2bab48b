#pragma once

#include "models/attention/MechanismImplementation.h"

#include <string>
#include <vector>

namespace softscope {

/// Returns every mechanism that SOFT's pyramid supports, in the order in which they are listed.
const std::vector<const MechanismImplementation*>& pyramidMechanisms();
/// Returns the mechanism with this name, or null.
const MechanismImplementation* findPyramidMechanism(const std::string& name);

}  // namespace softscope
