#include "widgets/controls/Theme.h"

#include <QtGui/QImage>
#include <QtWidgets/QApplication>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QSpinBox>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

using Theme = ViewSettings::Theme;

/// As WCAG 2 defines it, of 0 to 1.
double luminance(const QColor& color) {
  const auto linear = [](double value) {
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
         0.0722 * linear(color.blueF());
}

double contrast(const QColor& a, const QColor& b) {
  const auto [dark, light] = std::minmax({luminance(a), luminance(b)});
  return (light + 0.05) / (dark + 0.05);
}

/// Of the box's edge to the window, half-way down its left side.
double edgeContrast(QWidget& widget) {
  widget.resize(widget.sizeHint());
  const QImage image = widget.grab().toImage();
  double best = 1;
  for (int x = 0; x < 6; ++x) {
    best = std::max(best, contrast(image.pixelColor(x, image.height() / 2),
                                   widget.palette().color(QPalette::Window)));
  }
  return best;
}

TEST(Theme, BoxesAreSeenInTheDark) {
  applyTheme(*qApp, Theme::Dark);
  QCheckBox check;
  QLineEdit line;
  QSpinBox spin;
  // What WCAG asks of the outlines of controls.
  for (QWidget* widget : std::initializer_list<QWidget*>{&check, &line, &spin}) {
    EXPECT_GE(edgeContrast(*widget), 3) << widget->metaObject()->className();
  }
  applyTheme(*qApp, Theme::Light);
}

}  // namespace
}  // namespace softscope
