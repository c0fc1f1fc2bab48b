#pragma once

#include "widgets/figure/PanelFigure.h"
#include "widgets/settings/FigureSettings.h"

#include <QtCore/QRectF>
#include <QtCore/QSizeF>

#include <functional>

class QPainter;

namespace softscope {

/// A figure that is about to be written, however it is made, in whatever looks.
struct PrintableFigure {
  /// In millimetres; throws Error for settings that cannot be met.
  std::function<QSizeF(const FigureSettings&)> size;
  std::function<void(QPainter&, const QRectF&, const FigureSettings&)> paint;
  /// See figureTitle().
  std::function<QString(const FigureSettings&)> title;
};

/// Of panels, whatever their own settings say.
PrintableFigure printable(PanelFigure figure);

/// Of panels that stand as the settings leave room for.
PrintableFigure printable(std::function<PanelFigure(const FigureSettings&)> makeFigure);

}  // namespace softscope
