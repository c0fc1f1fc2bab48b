#pragma once

#include "core/checkpoint/Checkpoint.h"

namespace softscope {

/// Removes the prefix that a custom trainer put before a network's names, if no family knows them
/// with it: `encoder.blocks.0.attn.qkv.weight`. Names beside the network are left out.
Checkpoint withoutWrapper(Checkpoint checkpoint);

}  // namespace softscope
