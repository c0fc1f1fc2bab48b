#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// DeiT ("Training data-efficient image transformers & distillation through attention", 2020, arXiv
/// 2012.12877) and ViT under timm's names, distilled or not; and DeiT with SimA's attention, which
/// has the same parameters.
Family deitFamily();

}  // namespace softscope
