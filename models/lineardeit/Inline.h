#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// InLine-DeiT ("Bridging the Divide: Reconsidering Softmax and Linear Attention", 2024). Its PVT,
/// Swin and CSwin variants are recognised and refused by name.
Family inlineDeitFamily();

}  // namespace softscope
