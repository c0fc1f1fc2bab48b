#pragma once

#include "core/checkpoint/StateDict.h"
#include "models/vit/VitNames.h"

namespace softscope {

/// Returns true if a state dict has torchvision's names for a ViT:
/// `encoder.layers.encoder_layer_0`.
bool hasTorchvisionNames(const StateDict& state);

/// Returns torchvision's names, whose mlp is `mlp.0` and `mlp.3`, or `mlp.linear_1` and
/// `mlp.linear_2` in old files.
VitNames torchvisionNames(const StateDict& state);

}  // namespace softscope
