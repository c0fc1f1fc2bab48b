#include "core/survey/reading/Histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace softscope {

int Histogram::binOf(double value) const {
  if (!(value >= low && value <= high) || counts.empty()) return -1;
  const int bins = static_cast<int>(counts.size());
  // Halved first, so that the difference of two numbers never overflows.
  const double place = (value / 2 - low / 2) / (high / 2 - low / 2) * bins;
  return std::clamp(std::isfinite(place) ? static_cast<int>(place) : 0, 0, bins - 1);
}

double Histogram::edge(int bin) const {
  const double share = static_cast<double>(bin) / static_cast<double>(counts.size());
  return low * (1 - share) + high * share;
}

Histogram histogramOf(std::span<const double> values, int bins) {
  Histogram histogram{
      std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), {}};
  for (const double value : values) {
    if (std::isnan(value)) continue;
    histogram.low = std::min(histogram.low, value);
    histogram.high = std::max(histogram.high, value);
  }
  if (histogram.low > histogram.high) return {};
  histogram.counts.resize(histogram.low == histogram.high ? 1 : static_cast<std::size_t>(bins));
  for (const double value : values) {
    const int bin = histogram.binOf(value);
    if (bin >= 0) ++histogram.counts[static_cast<std::size_t>(bin)];
  }
  return histogram;
}

}  // namespace softscope
