#pragma once

#include "widgets/settings/FigureSettings.h"

#include <QtGui/QColor>
#include <QtGui/QFont>

namespace softscope {

/// Colours and fonts of a drawing. Lengths and sizes are in the painter's units: device independent
/// pixels on screen, tenths of a millimetre in a figure.
struct FigureStyle {
  /// Colour of the background; invalid if there is none.
  QColor ground;
  QColor text;
  QColor muted;
  QColor frame;
  QFont title;
  QFont small;
  /// Width of a hairline; `gap` is the distance between things that belong together.
  double hairline = 1;
  double gap = 4;
  double barHeight = 5;
};

/// Returns the style of a figure. Throws Error if the font is not installed.
FigureStyle printStyle(const FigureSettings& settings);

}  // namespace softscope
