#pragma once

#include "models/attention/MechanismImplementation.h"

#include <string>
#include <vector>

namespace softscope {

/// Every mechanism that SOFT's pyramid takes, in the order in which they are listed.
const std::vector<const MechanismImplementation*>& pyramidMechanisms();
/// The one of that name, or null.
const MechanismImplementation* findPyramidMechanism(const std::string& name);

}  // namespace softscope
