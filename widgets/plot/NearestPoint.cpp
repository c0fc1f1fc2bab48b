#include "widgets/plot/NearestPoint.h"

#include "widgets/plot/PlotRange.h"

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

/// Returns the bar above or below which `place` lies.
std::optional<PlotPoint> barAt(const Plot& plot, const QPointF& place,
                               const std::function<QPointF(double x, double y)>& toPlace) {
  const auto grouped =
      static_cast<int>(std::ranges::count(plot.curves, PlotCurve::Line::Bars, &PlotCurve::line));
  int index = 0;
  for (std::size_t c = 0; c < plot.curves.size(); ++c) {
    const PlotCurve& curve = plot.curves[c];
    if (curve.line != PlotCurve::Line::Bars) continue;
    const BarSlot slot = curve.barWidth > 0 ? BarSlot{0, curve.barWidth} : barSlot(index, grouped);
    ++index;
    for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
      if (!std::isfinite(curve.y[i])) continue;
      const double middle = curve.x[i] + slot.place;
      const double left = toPlace(middle - slot.width / 2, 0).x();
      const double right = toPlace(middle + slot.width / 2, 0).x();
      if (place.x() >= left && place.x() < right) return PlotPoint{static_cast<int>(c), i};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<PlotPoint> nearestPoint(const Plot& plot, const QPointF& place, double reach,
                                      const std::function<QPointF(double x, double y)>& toPlace) {
  std::optional<PlotPoint> nearest;
  double least = reach * reach;
  for (std::size_t c = 0; c < plot.curves.size(); ++c) {
    const PlotCurve& curve = plot.curves[c];
    if (curve.line == PlotCurve::Line::Bars) continue;
    for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
      if (!isDrawable(curve.x[i], plot.x) || !isDrawable(curve.y[i], plot.y)) continue;
      const QPointF away = toPlace(curve.x[i], curve.y[i]) - place;
      const double distance = QPointF::dotProduct(away, away);
      if (distance > least) continue;
      least = distance;
      nearest = PlotPoint{static_cast<int>(c), i};
    }
  }
  return nearest ? nearest : barAt(plot, place, toPlace);
}

}  // namespace softscope
