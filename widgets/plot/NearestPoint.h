#pragma once

#include "widgets/plot/Plot.h"

#include <QtCore/QPointF>

#include <functional>
#include <optional>

namespace softscope {

/// Identifies a point of one of a plot's curves.
struct PlotPoint {
  int curve = 0;
  std::size_t index = 0;
};

/// Returns the drawable point closest to `place`, if any is within `reach`; otherwise the bar above
/// or below which `place` lies, if any. `toPlace` maps a value to where it is drawn.
std::optional<PlotPoint> nearestPoint(const Plot& plot, const QPointF& place, double reach,
                                      const std::function<QPointF(double x, double y)>& toPlace);

}  // namespace softscope
