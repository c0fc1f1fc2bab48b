#include "core/image/DivergingColors.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace softscope {
namespace {

constexpr double middleLightness = 96;
constexpr double endLightness = 32;

struct Lab {
  double lightness;
  double a;
  double b;
};

/// Returns the point at `distance` from the middle, 0 to 1. Chroma follows a quadratic Bézier curve
/// from 0.
Lab pointOn(const DivergingArm& arm, double distance) {
  const double chroma =
      2 * distance * (1 - distance) * arm.middleChroma + distance * distance * arm.endChroma;
  const double angle = arm.hue * std::numbers::pi / 180;
  return {middleLightness + (endLightness - middleLightness) * distance, chroma * std::cos(angle),
          chroma * std::sin(angle)};
}

double unfoldLab(double value) {
  constexpr double delta = 6.0 / 29;
  return value > delta ? value * value * value : 3 * delta * delta * (value - 4.0 / 29);
}

std::uint8_t encodeSrgb(double linear) {
  const double light = std::clamp(linear, 0.0, 1.0);
  const double encoded =
      light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * encoded));
}

/// Converts to sRGB under illuminant D65.
ColorMap::Color toSrgb(const Lab& lab) {
  const double level = (lab.lightness + 16) / 116;
  const double x = 0.95047 * unfoldLab(level + lab.a / 500);
  const double y = unfoldLab(level);
  const double z = 1.08883 * unfoldLab(level - lab.b / 200);
  return {encodeSrgb(3.2404542 * x - 1.5371385 * y - 0.4985314 * z),
          encodeSrgb(-0.9692660 * x + 1.8760108 * y + 0.0415560 * z),
          encodeSrgb(0.0556434 * x - 0.2040259 * y + 1.0572252 * z)};
}

}  // namespace

std::array<ColorMap::Color, 256> divergingColors(const DivergingArm& low,
                                                 const DivergingArm& high) {
  constexpr double middle = 127.5;
  std::array<ColorMap::Color, 256> colors;
  for (std::size_t i = 0; i < colors.size(); ++i) {
    const double position = (static_cast<double>(i) - middle) / middle;
    colors[i] = toSrgb(pointOn(position < 0 ? low : high, std::abs(position)));
  }
  return colors;
}

}  // namespace softscope
