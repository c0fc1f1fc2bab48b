#pragma once

#include "core/image/ColorMap.h"

#include <array>

namespace softscope {

/// One side of a diverging map: a hue whose chroma rises and whose lightness falls from the middle
/// outwards.
struct DivergingArm {
  double hue = 0;           ///< degrees in CIELAB's a-b plane
  double middleChroma = 0;  ///< control point that bends the curve
  double endChroma = 0;     ///< chroma at the far end
};

/// Returns 256 colours from the end of `low` through a near-white middle to the end of `high`,
/// along curves in CIELAB. Lightness falls linearly and equally on both sides, so that equal
/// magnitudes look equally strong regardless of sign.
std::array<ColorMap::Color, 256> divergingColors(const DivergingArm& low, const DivergingArm& high);

}  // namespace softscope
