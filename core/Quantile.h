#pragma once

#include <vector>

namespace softscope {

/// The value that a share of `sorted`, at least one number in ascending order, lies below: between
/// the nearest two as NumPy's `quantile` has it.
double quantileOfSorted(const std::vector<double>& sorted, double fraction);

}  // namespace softscope
