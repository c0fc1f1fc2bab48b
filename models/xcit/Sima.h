#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// SimA on XCiT's backbone ("SimA: Simple Softmax-free Attention for Vision Transformers", 2022,
/// arXiv 2206.08898; UCDvision/sima): l1-normalised queries and keys, no softmax.
Family simaFamily();

}  // namespace softscope
