#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// PolaFormer-PVT ("PolaFormer: Polarity-aware Linear Attention for Vision Transformers", 2025).
/// Its PVTv2 and Swin variants are recognised and refused by name.
Family polaformerPvtFamily();

}  // namespace softscope
