#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// XCiT ("XCiT: Cross-Covariance Image Transformers", 2021, arXiv 2106.09681;
/// facebookresearch/xcit): channels attend to channels (XCA), and two class-attention blocks
/// collect the class.
Family xcitFamily();

}  // namespace softscope
