#include "core/image/ColorMap.h"

#include "core/Error.h"
#include "core/ListText.h"
#include "core/image/DivergingColors.h"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

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
