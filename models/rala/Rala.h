#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// RAVLT ("Breaking the Low-Rank Dilemma of Linear Attention", 2025, arXiv 2411.07635; qhfan/RALA):
/// a pyramid with rank-augmented linear attention in its first two stages and softmax attention in
/// its last two, a convolution of V added to both, and a gate on the sum.
Family ralaFamily();

}  // namespace softscope
