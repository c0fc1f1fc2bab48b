#include "widgets/paint/FigureStyle.h"

#include "core/Error.h"

#include <QtCore/QString>
#include <QtGui/QFontDatabase>

#include <cmath>

namespace softscope {
namespace {

QFont printFont(const FigureSettings& settings, double points) {
  constexpr double tenthsPerPoint = 254.0 / 72.0;
  QFont font(QString::fromStdString(settings.font));
  font.setStyleHint(QFont::SansSerif);
  // Text is placed by unhinted widths and antialiased in grey, so that every file format and screen
  // renders it alike.
  font.setHintingPreference(QFont::PreferNoHinting);
  font.setStyleStrategy(
      static_cast<QFont::StyleStrategy>(QFont::PreferAntialias | QFont::NoSubpixelAntialias));
  font.setPixelSize(std::max(1, static_cast<int>(std::lround(points * tenthsPerPoint))));
  return font;
}

void checkFont(const std::string& font) {
  // The default font may be missing: another sans-serif font then replaces it.
  if (font == FigureSettings().font || QFontDatabase::hasFamily(QString::fromStdString(font))) {
    return;
  }
  throw Error("there is no font \"" + font + "\" on this computer; take another with --font");
}

}  // namespace

FigureStyle printStyle(const FigureSettings& settings) {
  checkFont(settings.font);
  FigureStyle style;
  const bool dark = settings.background == FigureSettings::Background::Dark;
  if (settings.background != FigureSettings::Background::Transparent) {
    style.ground = dark ? QColor(0x1b, 0x1d, 0x21) : QColor(Qt::white);
  }
  style.text = dark ? QColor(0xe8, 0xea, 0xee) : QColor(0x16, 0x18, 0x1c);
  style.muted = dark ? QColor(0xa0, 0xa7, 0xb4) : QColor(0x5a, 0x60, 0x6b);
  style.frame = dark ? QColor(0x5c, 0x63, 0x70) : QColor(0x8a, 0x90, 0x9a);
  style.title = printFont(settings, settings.points);
  style.small = printFont(settings, settings.points * 7 / 8);
  style.hairline = 1.5;
  style.gap = 8;
  style.barHeight = 14;
  return style;
}

}  // namespace softscope
