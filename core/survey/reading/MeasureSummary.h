#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace softscope {

/// Statistics of a measure's values. NaN if too few values are defined.
struct MeasureSummary {
  /// Number of values that are defined.
  std::int64_t count = 0;
  double mean = std::numeric_limits<double>::quiet_NaN();
  /// Sample standard deviation, with divisor count - 1.
  double deviation = std::numeric_limits<double>::quiet_NaN();
  /// Standard error of the mean.
  double standardError = std::numeric_limits<double>::quiet_NaN();
  /// Quartiles and median, interpolated between the nearest values as in NumPy's `quantile`.
  double quartile1 = std::numeric_limits<double>::quiet_NaN();
  double median = std::numeric_limits<double>::quiet_NaN();
  double quartile3 = std::numeric_limits<double>::quiet_NaN();
  /// The outermost values within 1.5 interquartile ranges of the quartiles (Tukey, Exploratory Data
  /// Analysis, 1977).
  double lowerWhisker = std::numeric_limits<double>::quiet_NaN();
  double upperWhisker = std::numeric_limits<double>::quiet_NaN();
};

/// Summarises values; NaN counts as no value.
MeasureSummary summarise(std::span<const double> values);

/// Returns true if a value lies beyond the whiskers.
bool isOutlier(double value, const MeasureSummary& summary);

}  // namespace softscope
