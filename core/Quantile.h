#pragma once

#include <vector>

namespace softscope {

/// Returns the value below which a share of `sorted` lies, interpolated between the nearest two as
/// in NumPy's `quantile`. `sorted` holds at least one number, in ascending order; `fraction` is in
/// [0, 1].
double quantileOfSorted(const std::vector<double>& sorted, double fraction);

}  // namespace softscope
