#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// XCiT (facebookresearch/xcit): channels attend to channels (XCA), and two class-attention blocks
/// read the class out.
Family xcitFamily();

}  // namespace softscope
