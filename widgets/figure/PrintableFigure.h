#pragma once

#include "widgets/figure/PanelFigure.h"
#include "widgets/settings/FigureSettings.h"

#include <QtCore/QRectF>
#include <QtCore/QSizeF>

#include <functional>

class QPainter;

namespace softscope {

/// A figure that can be written at any settings, however it is made.
struct PrintableFigure {
  /// Returns the size in millimetres; throws Error for settings that cannot be met.
  std::function<QSizeF(const FigureSettings&)> size;
  std::function<void(QPainter&, const QRectF&, const FigureSettings&)> paint;
  /// Returns the title for the settings; see figureTitle().
  std::function<QString(const FigureSettings&)> title;
};

/// Makes a printable figure of panels; the settings passed later replace the panels' own.
PrintableFigure printable(PanelFigure figure);

/// Makes a printable figure whose arrangement of panels depends on the settings.
PrintableFigure printable(std::function<PanelFigure(const FigureSettings&)> makeFigure);

}  // namespace softscope
