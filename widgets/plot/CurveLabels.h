#pragma once

#include "widgets/paint/FigureStyle.h"
#include "widgets/plot/NearestPoint.h"
#include "widgets/plot/Plot.h"
#include "widgets/plot/QCustomPlotHeader.h"

#include <QtCore/QPointF>
#include <QtCore/QRectF>
#include <QtCore/QSizeF>
#include <QtCore/QString>
#include <QtGui/QColor>
#include <QtGui/QPolygonF>

#include <functional>
#include <optional>
#include <vector>

namespace softscope {

/// Writes the labels of curves beside their ends, with a thin line to a label that has had to move,
/// and those of horizontal levels where they cover no curve. Follows the axes as they are zoomed.
class CurveLabels : public QCPAbstractItem {
 public:
  /// The canvas owns the labels. Without `ofCurves`, only levels are labelled.
  CurveLabels(QCustomPlot* canvas, const Plot& plot, bool ofCurves, const FigureStyle& style);

  /// Returns the last point of the curve whose label is at that place.
  std::optional<PlotPoint> endAt(const QPointF& place) const;
  /// Makes the labels of curves that `kept` does not accept pale; an empty function none.
  void keep(const std::function<bool(const PlotCurve&)>& kept, double paleAlpha);
  double selectTest(const QPointF& place, bool onlySelectable,
                    QVariant* details = nullptr) const override;

 protected:
  void draw(QCPPainter* painter) override;

 private:
  struct Label {
    QString text;
    QColor color;
    QSizeF size;
    /// The curve's last point.
    PlotPoint last;
    QPointF end;
    bool pale = false;
    /// Where it was last drawn; empty if its curve was out of sight.
    QRectF place;
  };

  struct LevelLabel {
    double value = 0;
    QString text;
    QSizeF size;
    QRectF place;
  };

  /// Returns what is drawn of a curve, in the canvas's units: a line for each part without a gap.
  std::vector<QPolygonF> drawnLines(const PlotCurve& curve) const;
  /// Returns where a curve leaves the axes at their right, or ends within them.
  std::optional<QPointF> endOf(const PlotCurve& curve) const;
  void placeLabels();

  Plot plot_;
  FigureStyle style_;
  std::vector<Label> labels_;
  std::vector<LevelLabel> levels_;
  double paleAlpha_ = 1;
};

}  // namespace softscope
