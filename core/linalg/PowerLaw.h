#pragma once

#include <optional>
#include <vector>

namespace softscope {

/// y = factor * x^exponent: a straight line on a log-log plot.
struct PowerLaw {
  double factor = 0;
  double exponent = 0;
  /// Standard error of the exponent; nothing of two points, which a line meets exactly.
  std::optional<double> exponentError;
};

/// The least-squares line through (ln x, ln y). Points that are not positive and finite are left
/// out; nothing if fewer than two different x remain. `x` and `y` are equally long.
std::optional<PowerLaw> fitPowerLaw(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace softscope
