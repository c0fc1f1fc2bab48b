#pragma once

#include "core/checkpoint/StateDict.h"
#include "models/vit/VitNames.h"

namespace softscope {

/// Returns true if a state dict has timm's or Facebook's names for a plain vision transformer, and
/// none that only related networks have (T2T-ViT, CaiT, XCiT, BEiT).
bool hasTimmNames(const StateDict& state);
/// Returns true if the network has parts that DeiT lacks: registers, layer scale, a norm before the
/// blocks or of the mean of the patches, no class token, or a gated mlp.
bool hasMoreThanDeit(const StateDict& state);

/// Returns the names of timm and Facebook: `blocks.0.attn.qkv`. Facebook's training files group
/// blocks in chunks, `blocks.1.12.attn.qkv`, with numbers that continue from chunk to chunk.
VitNames timmNames(const StateDict& state);

}  // namespace softscope
