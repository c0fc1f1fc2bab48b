#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// SLAB-DeiT ("SLAB: Efficient Transformers with Simplified Linear Attention and Progressive
/// Re-parameterized Batch Normalization", 2024). Its PVT, Swin and CSwin variants, and DeiT with
/// only its norms, are recognised and refused by name.
Family slabDeitFamily();

}  // namespace softscope
