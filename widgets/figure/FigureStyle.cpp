#include "widgets/figure/FigureStyle.h"

#include <cmath>

namespace softscope {
namespace {

QFont printFont(double points) {
  constexpr double tenthsPerPoint = 254.0 / 72.0;
  QFont font;
  font.setStyleHint(QFont::SansSerif);
  // Letters are placed by their unhinted widths, so that every format sets them alike.
  font.setHintingPreference(QFont::PreferNoHinting);
  font.setPixelSize(static_cast<int>(std::lround(points * tenthsPerPoint)));
  return font;
}

}  // namespace

FigureStyle printStyle(ViewSettings::Theme theme) {
  FigureStyle style;
  const bool light = theme == ViewSettings::Theme::Light;
  style.ground = light ? QColor(Qt::white) : QColor(0x1b, 0x1d, 0x21);
  style.text = light ? QColor(0x16, 0x18, 0x1c) : QColor(0xe8, 0xea, 0xee);
  style.muted = light ? QColor(0x5a, 0x60, 0x6b) : QColor(0xa0, 0xa7, 0xb4);
  style.frame = light ? QColor(0x8a, 0x90, 0x9a) : QColor(0x5c, 0x63, 0x70);
  style.title = printFont(8);
  style.small = printFont(7);
  style.hairline = 1.5;
  style.gap = 8;
  style.barHeight = 14;
  return style;
}

}  // namespace softscope
