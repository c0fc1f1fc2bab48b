#pragma once

#include "widgets/settings/FigureSettings.h"

#include <QtGui/QColor>
#include <QtGui/QFont>

namespace softscope {

/// Colours and letters of a drawing. Lengths and sizes are in the painter's units: device
/// independent pixels on the screen, tenths of a millimetre in a figure.
struct FigureStyle {
  /// Not valid where there is none.
  QColor ground;
  QColor text;
  QColor muted;
  QColor frame;
  QFont title;
  QFont small;
  /// Width of a hairline, and the space between things that belong together.
  double hairline = 1;
  double gap = 4;
  double barHeight = 5;
};

/// For a figure. Throws Error for a font that is not installed.
FigureStyle printStyle(const FigureSettings& settings);

}  // namespace softscope
