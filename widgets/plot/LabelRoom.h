#pragma once

#include <QtCore/QPointF>
#include <QtCore/QRectF>
#include <QtCore/QSizeF>
#include <QtGui/QPolygonF>

#include <vector>

namespace softscope {

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
