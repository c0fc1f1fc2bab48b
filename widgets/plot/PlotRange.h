#pragma once

#include "widgets/plot/Plot.h"

#include <utility>

namespace softscope {

/// True if a point with this coordinate can be drawn on the axis.
bool isDrawable(double value, const PlotAxis& axis);

/// The ranges of a plot's horizontal and vertical axes: those that were chosen, otherwise all drawn
/// values with a small margin. Levels are included unless that would squeeze the curves.
struct PlotRange {
  std::pair<double, double> x;
  std::pair<double, double> y;
};
PlotRange rangeOf(const Plot& plot);

/// Where bars that share the space of an axis name stand: the `index`-th of `count` has its middle
/// at `place` from that name's position and is so wide, both in the axis's units.
struct BarSlot {
  double place = 0;
  double width = 0;
};
BarSlot barSlot(int index, int count);

}  // namespace softscope
