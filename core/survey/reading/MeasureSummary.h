#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace softscope {

/// What the values of a measure are like. NaN where too few are defined.
struct MeasureSummary {
  /// Values that are defined.
  std::int64_t count = 0;
  double mean = std::numeric_limits<double>::quiet_NaN();
  /// Of a sample: divided by count - 1.
  double deviation = std::numeric_limits<double>::quiet_NaN();
  /// Of the mean.
  double standardError = std::numeric_limits<double>::quiet_NaN();
  /// Between the nearest values as NumPy's `quantile` has them.
  double quartile1 = std::numeric_limits<double>::quiet_NaN();
  double median = std::numeric_limits<double>::quiet_NaN();
  double quartile3 = std::numeric_limits<double>::quiet_NaN();
  /// The outermost values within 1.5 quartile distances of the quartiles (Tukey, Exploratory Data
  /// Analysis, 1977).
  double lowerWhisker = std::numeric_limits<double>::quiet_NaN();
  double upperWhisker = std::numeric_limits<double>::quiet_NaN();
};

/// NaN counts as no value.
MeasureSummary summarise(std::span<const double> values);

/// Whether a value lies beyond the whiskers.
bool isOutlier(double value, const MeasureSummary& summary);

}  // namespace softscope
