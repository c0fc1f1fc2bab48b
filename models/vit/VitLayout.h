#pragma once

#include "core/checkpoint/StateDict.h"
#include "models/vit/VitConfiguration.h"

#include <string>

namespace softscope {

/// Whether a state dict has the names of timm or Facebook of a plain vision transformer, and none
/// of its relatives' (T2T-ViT, CaiT, XCiT, BEiT) beside them.
bool hasTimmNames(const StateDict& state);
/// Whether it has what DeiT has not: registers, layer scale, a norm before the blocks or of the
/// mean of the patches, no class token, or a gated mlp.
bool hasMoreThanDeit(const StateDict& state);

/// The names of timm and of Facebook: `blocks.0.attn.qkv`. Facebook's training files have blocks in
/// chunks, `blocks.1.12.attn.qkv`, counted through.
VitNames timmNames(const StateDict& state);

/// Whether a state dict has Hugging Face's names of a ViT, a DeiT or a DINOv2.
bool hasHuggingFaceNames(const StateDict& state);
/// Those whose blocks have layer norms called `layernorm_before` are ViT and DeiT; DINOv2's are
/// called `norm1`.
bool isHuggingFaceDinov2(const StateDict& state);
/// DeiT's have a distillation token, whether it was trained with a teacher or not.
bool isHuggingFaceDeit(const StateDict& state);

/// Hugging Face's names, `vit.encoder.layer.0.attention.attention.query`, or as its library names
/// them in memory since version 5, `vit.layers.0.attention.q_proj`.
VitNames huggingFaceNames(const StateDict& state);

/// Sizes of a vision transformer, from the tensors under these names; heads, epsilon, activation
/// (unless it is gated) and how positions are resized are left as they are by default. Throws
/// ModelError, calling it `network`, where nothing tells a size.
VitConfiguration readVitConfiguration(const StateDict& state, VitNames names,
                                      const std::string& network);

}  // namespace softscope
