#include "widgets/paint/Contrast.h"

#include <algorithm>
#include <cmath>

namespace softscope {

double luminanceOf(const QColor& color) {
  const auto linear = [](double share) {
    return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
         0.0722 * linear(color.blueF());
}

double contrastOf(const QColor& one, const QColor& other) {
  const double first = luminanceOf(one) + 0.05;
  const double second = luminanceOf(other) + 0.05;
  return std::max(first, second) / std::min(first, second);
}

QColor legibleOn(const QColor& ground, const QColor& color) {
  constexpr double least = 4.5;
  constexpr float step = 0.02f;
  const QColor behind = ground.isValid() ? ground : QColor(Qt::white);
  const bool darken = contrastOf(Qt::black, behind) > contrastOf(Qt::white, behind);
  QColor text = color.toHsl();
  while (contrastOf(text.toRgb(), behind) < least) {
    const float lightness = text.lightnessF() + (darken ? -step : step);
    if (lightness <= 0 || lightness >= 1) return darken ? Qt::black : Qt::white;
    text.setHslF(std::max(0.0f, text.hslHueF()), text.hslSaturationF(), lightness);
  }
  return text.toRgb();
}

}  // namespace softscope
