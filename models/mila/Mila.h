#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// MILA ("Demystify Mamba in Vision: A Linear Attention Perspective", 2024, arXiv 2405.16605;
/// LeapLabTHU/MLLA), published as MLLA: a pyramid of blocks in the form of Mamba's, with rotated
/// linear attention, a convolution of V added to it, and a gate on the sum.
Family milaFamily();

}  // namespace softscope
