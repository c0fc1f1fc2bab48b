#pragma once

#include "core/checkpoint/StateDict.h"
#include "models/vit/VitNames.h"

namespace softscope {

/// Returns true if a state dict has Facebook's, Hugging Face's or timm's names for a DINOv3.
bool hasDinov3Names(const StateDict& state);

/// Returns the names that the state dict uses.
VitNames dinov3Names(const StateDict& state);

}  // namespace softscope
