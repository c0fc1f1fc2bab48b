#include "widgets/plot/PlotRange.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace softscope {
namespace {

using Ends = std::pair<double, double>;

/// A range that grows to include every value it is given.
class Span {
 public:
  explicit Span(const PlotAxis& axis) : axis_(axis) {}

  void include(double value) {
    if (!isDrawable(value, axis_)) return;
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
  }
  bool empty() const { return least_ > most_; }
  double least() const { return least_; }

  /// Includes a level, unless it is so far from the curves of a linear axis that these would be
  /// squeezed.
  void includeLevel(double value) {
    if (empty() || !axis_.logarithmic) {
      const double room = empty() ? 0 : 2 * (most_ - least_);
      if (!empty() && (value > most_ + room || value < least_ - room)) return;
    }
    include(value);
  }

  Ends withAir(double share) const {
    if (empty()) return axis_.logarithmic ? Ends{0.1, 1} : Ends{0, 1};
    if (axis_.logarithmic) {
      // A single value gets half a decade on each side.
      const double decades = std::log10(most_ / least_);
      const double air = decades > 0 ? share * decades : 0.5;
      return {least_ * std::pow(10, -air), most_ * std::pow(10, air)};
    }
    const double width = most_ - least_;
    const double air = width > 0 ? share * width : std::max(0.5, std::abs(most_) * 0.1);
    return {least_ - air, most_ + air};
  }

 private:
  const PlotAxis& axis_;
  double least_ = std::numeric_limits<double>::infinity();
  double most_ = -std::numeric_limits<double>::infinity();
};

bool hasBars(const Plot& plot) {
  return std::any_of(plot.curves.begin(), plot.curves.end(),
                     [](const PlotCurve& curve) { return curve.line == PlotCurve::Line::Bars; });
}

}  // namespace

bool isDrawable(double value, const PlotAxis& axis) {
  return std::isfinite(value) && (!axis.logarithmic || value > 0);
}

BarSlot barSlot(int index, int count) {
  constexpr double room = 0.8;
  return {room * ((index + 0.5) / count - 0.5), room / count};
}

PlotRange rangeOf(const Plot& plot) {
  Span x(plot.x);
  Span y(plot.y);
  for (const PlotCurve& curve : plot.curves) {
    for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
      if (!isDrawable(curve.x[i], plot.x) || !isDrawable(curve.y[i], plot.y)) continue;
      x.include(curve.x[i] - curve.barWidth / 2);
      x.include(curve.x[i] + curve.barWidth / 2);
      y.include(curve.y[i]);
      if (i >= curve.reach.size()) continue;
      y.include(curve.y[i] - curve.reach[i]);
      y.include(curve.y[i] + curve.reach[i]);
    }
  }
  for (const PlotBand& band : plot.bands) {
    for (std::size_t i = 0; i < band.x.size(); ++i) {
      x.include(band.x[i]);
      y.include(band.low[i]);
      y.include(band.high[i]);
    }
  }
  for (const PlotBox& box : plot.boxes) {
    x.include(box.x - box.width / 2);
    x.include(box.x + box.width / 2);
    for (const double value : {box.low, box.quartile1, box.quartile3, box.high}) y.include(value);
  }
  const bool bars = hasBars(plot);
  // On a linear axis bars start at zero.
  if (bars) y.include(0);
  for (const PlotLevel& level : plot.levels) {
    (level.orientation == Qt::Horizontal ? y : x).includeLevel(level.value);
  }
  PlotRange range{x.withAir(0.02), y.withAir(0.05)};
  // Every name gets the same width.
  if (!plot.x.names.empty()) range.x = {-0.6, static_cast<double>(plot.x.names.size()) - 0.4};
  if (bars && !plot.y.logarithmic && y.least() == 0) range.y.first = 0;
  if (plot.x.range) range.x = *plot.x.range;
  if (plot.y.range) range.y = *plot.y.range;
  return range;
}

}  // namespace softscope
