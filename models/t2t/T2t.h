#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// T2T-ViT ("Tokens-to-Token ViT: Training Vision Transformers from Scratch on ImageNet", 2021,
/// arXiv 2101.11986) with Performer or softmax tokens (yitu-opensource/T2T-ViT), or with
/// Nyströmformer tokens (mlpen/Nystromformer), whose parameters are those of the softmax form.
Family t2tFamily();

}  // namespace softscope
