#pragma once

#include <optional>
#include <vector>

namespace softscope {

/// y = factor * x^exponent: a straight line on a log-log plot.
struct PowerLaw {
  double factor = 0;
  double exponent = 0;
  /// Standard error of the exponent; empty for two points, which a line meets exactly.
  std::optional<double> exponentError;
};

/// Fits the least-squares line through (ln x, ln y). Leaves out points that are not positive and
/// finite; returns nothing if fewer than two different x remain. `x` and `y` have equal length.
std::optional<PowerLaw> fitPowerLaw(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace softscope
