#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// DeiT and ViT under timm's names, distilled or not; and DeiT with SimA's attention, which has the
/// same parameters.
Family deitFamily();

}  // namespace softscope
