#pragma once

#include "core/image/ColorMap.h"

#include <array>

namespace softscope {

/// One side of a diverging map: a hue that gains colour and loses light from the middle outwards.
struct DivergingArm {
  double hue = 0;           ///< degrees in CIELAB's a-b plane
  double middleChroma = 0;  ///< the control point that bends the way outwards
  double endChroma = 0;     ///< at the far end
};

/// 256 colours from the end of `low` over a near-white middle to the end of `high`, along curves in
/// CIELAB. Lightness falls linearly and equally on both sides, so that equal magnitudes look
/// equally strong whatever their sign.
std::array<ColorMap::Color, 256> divergingColors(const DivergingArm& low, const DivergingArm& high);

}  // namespace softscope
