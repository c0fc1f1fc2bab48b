#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace softscope {

/// Returns the median of the values; for an even number of values, the mean of the two in the
/// middle; for no values, 0.
template <typename Number>
Number medianOf(std::vector<Number> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// Returns the value below which a share of `sorted` lies, interpolated between the nearest two as
/// in NumPy's `quantile`. `sorted` holds at least one number, in ascending order; `fraction` is in
/// [0, 1].
double quantileOfSorted(const std::vector<double>& sorted, double fraction);

}  // namespace softscope
