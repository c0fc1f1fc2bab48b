#pragma once

#include "core/checkpoint/StateDict.h"
#include "models/vit/VitConfiguration.h"

#include <string>

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

/// Returns true if a state dict has Hugging Face's names for a ViT, a DeiT or a DINOv2.
bool hasHuggingFaceNames(const StateDict& state);
/// Returns true for a DINOv2, whose layer norms are called `norm1`; those of ViT and DeiT are
/// called `layernorm_before`.
bool isHuggingFaceDinov2(const StateDict& state);
/// Returns true for a DeiT, which has a distillation token whether it was trained with a teacher or
/// not.
bool isHuggingFaceDeit(const StateDict& state);

/// Returns Hugging Face's names, `vit.encoder.layer.0.attention.attention.query`, or those that its
/// library has used in memory since version 5, `vit.layers.0.attention.q_proj`.
VitNames huggingFaceNames(const StateDict& state);

/// Reads the sizes of a vision transformer from the tensors with these names. Heads, epsilon,
/// activation (unless it is gated) and the resizing of positions keep their defaults. Throws a
/// ModelError that calls the network `network` if nothing determines a size.
VitConfiguration readVitConfiguration(const StateDict& state, VitNames names,
                                      const std::string& network);

}  // namespace softscope
