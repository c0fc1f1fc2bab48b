#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// SimA on XCiT's backbone (UCDvision/sima): l1-normalised queries and keys, no softmax.
Family simaFamily();

}  // namespace softscope
