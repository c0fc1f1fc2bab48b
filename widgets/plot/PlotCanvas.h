#pragma once

#include "widgets/paint/FigureStyle.h"
#include "widgets/plot/Plot.h"
#include "widgets/plot/QCustomPlotHeader.h"

class QCPAxis;
class QCustomPlot;

namespace softscope {

class CurveLabels;

/// Places ticks at one, two and five times every power of ten. On a logarithmic axis these are
/// evenly spaced, while multiples of a fixed step crowd at its end. Over many decades only the
/// powers of ten remain; a range with fewer than three such ticks gets multiples of a step.
class OneTwoFiveTicker : public QCPAxisTicker {
 public:
  // More multiples of a step, which crowd at an axis's end, would run into each other.
  OneTwoFiveTicker() { setTickCount(4); }

 protected:
  int getSubTickCount(double tickStep) override;
  QVector<double> createTickVector(double tickStep, const QCPRange& range) override;
};

/// Makes `canvas` show `plot` in place of what it showed before; the title, note and legend are
/// left to the owner. Used for the screen and for figures: lengths come from `style`. Returns the
/// labels of levels and, if `labelled`, of curves, which the canvas owns until the next call.
CurveLabels* preparePlot(QCustomPlot& canvas, const Plot& plot, const FigureStyle& style,
                         bool labelled);

/// Places the ticks of an axis for its present range, and gives their numbers as many digits as
/// tell them apart.
void adaptTicks(QCPAxis& axis, const PlotAxis& shown);

/// Returns about the height that the axis takes below the plot: its ticks, their names, its label.
double heightBelowAxes(const PlotAxis& axis, const FigureStyle& style);
/// Returns it with the names on end, or side by side.
double heightBelowAxes(const PlotAxis& axis, const FigureStyle& style, bool onEnd);

/// True if the names along an axis are written vertically: many names, or a few long ones.
bool standOnEnd(const std::vector<QString>& names);

/// Returns the width that an axis needs for its names to stand apart, each at its own place, be
/// they written vertically or not; 0 without names.
double namesWidth(const std::vector<QString>& names, bool onEnd, const FigureStyle& style);

/// Returns about the width that a vertical axis takes for its numbers and its label.
double numbersWidth(const FigureStyle& style);

/// Returns the colour of a band's area with its usual opacity multiplied by `opacity`.
QColor bandColor(const PlotBand& band, double opacity);

/// Returns the pen of a curve and of its legend entry.
QPen curvePen(PlotCurve::Line line, const QColor& color, const FigureStyle& style);

/// Returns the diameter of a curve's points (crossSize(): of its crosses), in the painter's units.
double pointSize(const FigureStyle& style);
double crossSize(const FigureStyle& style);
/// Returns the pen that crosses are drawn with.
QPen crossPen(const QColor& color, const FigureStyle& style);

}  // namespace softscope
