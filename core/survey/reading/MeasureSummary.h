#pragma once

#include "core/array/Table.h"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
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

/// The spread of a measure over pictures. Only values that are defined and finite count.
class ValueSpread {
 public:
  void add(const std::optional<double>& value);

  std::int64_t pictures() const { return pictures_; }
  /// Returns the mean; nothing if no picture has a value.
  std::optional<double> mean() const;
  /// Returns the standard deviation over pictures, sqrt(sum (value - mean)^2 / (pictures - 1));
  /// nothing for fewer than two.
  std::optional<double> deviation() const;

 private:
  std::int64_t pictures_ = 0;
  double mean_ = 0;
  double squares_ = 0;  ///< sum of squared differences from the mean
};

/// Appends a cell for each value; empty for NaN.
void appendStatistics(std::vector<Table::Cell>& row, std::initializer_list<double> values);

/// Appends the names of a summary's columns, or its cells in the same order.
void appendSummaryColumns(std::vector<std::string>& columns);
void appendSummary(std::vector<Table::Cell>& row, const MeasureSummary& summary);

}  // namespace softscope
