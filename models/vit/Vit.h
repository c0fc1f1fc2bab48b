#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// ViT ("An Image is Worth 16x16 Words: Transformers for Image Recognition at Scale", 2020, arXiv
/// 2010.11929) under Hugging Face's names, and the parts that timm's vision transformers have
/// beyond DeiT: registers, layer scale, a norm before the blocks, average pooling.
Family vitFamily();

}  // namespace softscope
