#pragma once

#include "widgets/paint/FigureStyle.h"
#include "widgets/plot/Plot.h"

#include <QtCore/QPointF>
#include <QtCore/QRectF>
#include <QtCore/QSizeF>
#include <QtGui/QPolygonF>

#include <cstddef>
#include <optional>
#include <vector>

namespace softscope {

/// Returns the index of a curve's last point if its label can be written beside it; empty if it has
/// no label or nothing that can be drawn.
std::optional<std::size_t> labelledPoint(const PlotCurve& curve, const Plot& plot);

/// Returns the width of the curve's colour before a label, with the gap behind it.
double swatchWidth(const FigureStyle& style);

/// Returns the width that the labels of a plot's curves take right of its axes; 0 for none.
double labelsWidth(const Plot& plot, const FigureStyle& style);

/// True if a drawing of that size, axes included, has room for the labels of all of the plot's
/// curves.
bool labelsFit(const Plot& plot, const QSizeF& size, const FigureStyle& style);

/// The right end of a curve, and the size of the label that belongs beside it.
struct LabelledEnd {
  QPointF end;
  QSizeF size;
};

/// Finds places for labels in and right of a plot's axes: no two overlap, and none is cut.
class LabelRoom {
 public:
  /// `lines` are the curves, which labels within the axes avoid; `gap` is the distance of a label
  /// from what it belongs to.
  LabelRoom(const QRectF& axes, const std::vector<QPolygonF>& lines, double gap);

  /// Returns a place for each label: in a column right of the axes, in the order of the ends, for
  /// curves that reach their right side, and else close to the curve's end. All have one height.
  std::vector<QRectF> besideEnds(const std::vector<LabelledEnd>& ends);
  /// Returns a place for the label of a horizontal line across the axes, above or below it.
  QRectF alongLevel(double y, const QSizeF& size);

 private:
  void occupy(const QPolygonF& line);
  int occupied(const QRectF& place) const;
  bool isFree(const QRectF& place) const;
  /// Returns an empty rectangle if no place beside the end is free.
  QRectF besideEnd(const LabelledEnd& of) const;

  QRectF axes_;
  double gap_;
  int columns_ = 0;
  int rows_ = 0;
  /// [rows][columns]: whether a curve runs through a cell of the axes.
  std::vector<bool> cells_;
  std::vector<QRectF> taken_;
};

}  // namespace softscope
