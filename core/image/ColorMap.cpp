#include "core/image/ColorMap.h"

#include "core/Error.h"
#include "core/text/Words.h"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace softscope {

namespace {

/// One side of a diverging map: a hue whose chroma rises and whose lightness falls from the middle
/// outwards.
struct DivergingArm {
  double hue = 0;           ///< degrees in CIELAB's a-b plane
  double middleChroma = 0;  ///< control point that bends the curve
  double endChroma = 0;     ///< chroma at the far end
};

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

/// Returns 256 colours from the end of `low` through a near-white middle to the end of `high`,
/// along curves in CIELAB. Lightness falls linearly and equally on both sides, so that equal
/// magnitudes look equally strong regardless of sign.
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

ColorMap fromOpenCv(const char* name, int openCvMap) {
  cv::Mat levels(1, 256, CV_8UC1);
  for (int i = 0; i < 256; ++i) levels.at<std::uint8_t>(0, i) = static_cast<std::uint8_t>(i);
  cv::Mat bgr;
  cv::applyColorMap(levels, bgr, openCvMap);
  ColorMap map{name, false, {}};
  for (int i = 0; i < 256; ++i) {
    const auto& color = bgr.at<cv::Vec3b>(0, i);
    map.colors[static_cast<std::size_t>(i)] = {color[2], color[1], color[0]};
  }
  return map;
}

ColorMap grey() {
  ColorMap map{"grey", false, {}};
  for (std::size_t i = 0; i < map.colors.size(); ++i) {
    map.colors[i].fill(static_cast<std::uint8_t>(i));
  }
  return map;
}

const std::vector<ColorMap>& allMaps() {
  // These hues and chromas stay inside sRGB along the whole curve.
  constexpr DivergingArm blue{285, 66, 46};
  constexpr DivergingArm red{32, 68, 62};
  constexpr DivergingArm purple{315, 66, 62};
  constexpr DivergingArm green{145, 66, 42};
  static const std::vector<ColorMap> maps{
      fromOpenCv("viridis", cv::COLORMAP_VIRIDIS),
      fromOpenCv("magma", cv::COLORMAP_MAGMA),
      fromOpenCv("inferno", cv::COLORMAP_INFERNO),
      fromOpenCv("plasma", cv::COLORMAP_PLASMA),
      fromOpenCv("cividis", cv::COLORMAP_CIVIDIS),
      grey(),
      {"blue-white-red", true, divergingColors(blue, red)},
      {"purple-white-green", true, divergingColors(purple, green)},
      fromOpenCv("turbo", cv::COLORMAP_TURBO),
  };
  return maps;
}

}  // namespace

ColorMap::Color ColorMap::at(double fraction) const {
  // NaN is treated as the low end.
  const double clamped = fraction > 0 ? std::min(fraction, 1.0) : 0.0;
  const double position = clamped * static_cast<double>(colors.size() - 1);
  const auto low = static_cast<std::size_t>(position);
  const std::size_t high = std::min(low + 1, colors.size() - 1);
  const double weight = position - static_cast<double>(low);
  Color color{};
  for (std::size_t c = 0; c < color.size(); ++c) {
    const double value = (1 - weight) * colors[low][c] + weight * colors[high][c];
    color[c] = static_cast<std::uint8_t>(std::lround(value));
  }
  return color;
}

const std::vector<std::string>& colorMapNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const ColorMap& map : allMaps()) result.push_back(map.name);
    return result;
  }();
  return names;
}

const ColorMap& colorMap(const std::string& name) {
  const auto found = std::ranges::find(allMaps(), name, &ColorMap::name);
  if (found != allMaps().end()) return *found;
  throw InspectionError("There is no colour map '" + name + "'; there are " +
                        listText(colorMapNames()) + ".");
}

}  // namespace softscope
