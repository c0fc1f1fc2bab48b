#pragma once

#include "widgets/plot/Plot.h"

#include <QtCore/QPointF>

#include <functional>
#include <optional>

namespace softscope {

/// A point of one of a plot's curves.
struct PlotPoint {
  int curve = 0;
  std::size_t index = 0;
};

/// The drawable point that lies closest to `place`, if any is within `reach`, or else the bar above
/// or below which it lies; `toPlace` says where a value is drawn.
std::optional<PlotPoint> nearestPoint(const Plot& plot, const QPointF& place, double reach,
                                      const std::function<QPointF(double x, double y)>& toPlace);

}  // namespace softscope
