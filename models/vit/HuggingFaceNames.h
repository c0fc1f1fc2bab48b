#pragma once

#include "core/checkpoint/StateDict.h"
#include "models/vit/VitNames.h"

namespace softscope {

/// Returns true if a state dict has Hugging Face's names for a ViT, a DeiT or a DINOv2.
bool hasHuggingFaceNames(const StateDict& state);
/// Returns true for a DINOv2, whose layer norms are called `norm1`; those of ViT and DeiT are
/// called `layernorm_before`.
bool isHuggingFaceDinov2(const StateDict& state);
/// Returns true for a DeiT, which has a distillation token whether it was trained with a teacher or
/// not.
bool isHuggingFaceDeit(const StateDict& state);

/// Returns true if a wrapper precedes the names of the embedding and none those of the blocks, as
/// in classifiers of ViT-MSN: `vit.embeddings` beside `encoder.layer.0`.
bool hasMixedHuggingFaceNames(const StateDict& state);

/// Returns Hugging Face's names, `vit.encoder.layer.0.attention.attention.query`, or those that its
/// library has used in memory since version 5, `vit.layers.0.attention.q_proj`.
VitNames huggingFaceNames(const StateDict& state);

/// Returns the names of a block of CLIP or SigLIP, which are alike in Hugging Face's library.
VitBlockNames huggingFaceClipBlock();

}  // namespace softscope
