#pragma once

#include "widgets/paint/FigureStyle.h"
#include "widgets/plot/Plot.h"

class QCustomPlot;

namespace softscope {

/// Makes `canvas` show `plot`, and nothing that was there before; its title, note and legend are
/// left to the owner. The same for the screen and for paper: lengths are `style`'s.
void preparePlot(QCustomPlot& canvas, const Plot& plot, const FigureStyle& style);

/// The pen that a curve, and its entry in a legend, is drawn with.
QPen curvePen(PlotCurve::Line line, const QColor& color, const FigureStyle& style);

/// Diameter of a curve's points, and of its crosses.
double pointSize(const FigureStyle& style);
double crossSize(const FigureStyle& style);
/// The pen of a cross.
QPen crossPen(const QColor& color, const FigureStyle& style);

}  // namespace softscope
