#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// SOFT ("SOFT: Softmax-free Transformer with Linear Complexity", 2021, arXiv 2110.11945) and
/// SOFT++ ("Softmax-free Linear Transformers", 2024, arXiv 2207.03341), fudan-zvg/SOFT: a pyramid
/// whose first three stages attend through landmarks and whose fourth is a standard transformer.
Family softFamily();

}  // namespace softscope
