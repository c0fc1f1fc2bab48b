#pragma once

#include "widgets/plot/Plot.h"

#include <utility>

namespace softscope {

/// Whether a point of this value can be drawn on an axis.
bool isDrawable(double value, const PlotAxis& axis);

/// The ends of a plot's horizontal and vertical axis: those that were chosen, or all that is drawn
/// and a little air. Levels count where they do not press the curves together.
struct PlotRange {
  std::pair<double, double> x;
  std::pair<double, double> y;
};
PlotRange rangeOf(const Plot& plot);

}  // namespace softscope
