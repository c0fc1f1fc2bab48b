#pragma once

#include "widgets/paint/FigureStyle.h"
#include "widgets/plot/Plot.h"

class QCustomPlot;

namespace softscope {

/// Makes `canvas` show `plot` in place of what it showed before; the title, note and legend are
/// left to the owner. Used for the screen and for figures: lengths come from `style`.
void preparePlot(QCustomPlot& canvas, const Plot& plot, const FigureStyle& style);

/// Returns the pen of a curve and of its legend entry.
QPen curvePen(PlotCurve::Line line, const QColor& color, const FigureStyle& style);

/// Returns the diameter of a curve's points (crossSize(): of its crosses), in the painter's units.
double pointSize(const FigureStyle& style);
double crossSize(const FigureStyle& style);
/// Returns the pen that crosses are drawn with.
QPen crossPen(const QColor& color, const FigureStyle& style);

}  // namespace softscope
