#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// EfficientViT ("EfficientViT: Multi-Scale Linear Attention for High-Resolution Dense Prediction",
/// 2022, arXiv 2205.14756; mit-han-lab/efficientvit), the B and the L models, under the authors'
/// names or timm's: convolutions, then stages of multi-scale linear attention.
Family efficientVitFamily();

}  // namespace softscope
