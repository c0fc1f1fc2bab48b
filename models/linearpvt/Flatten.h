#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// FLatten-PVT ("FLatten Transformer: Vision Transformer using Focused Linear Attention", 2023).
/// Its PVTv2, Swin and CSwin variants are recognised and refused by name.
Family flattenPvtFamily();

}  // namespace softscope
