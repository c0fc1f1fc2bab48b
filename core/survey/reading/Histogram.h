#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace softscope {

/// How many values lie in each of equally wide bins.
struct Histogram {
  double low = 0;
  double high = 1;
  std::vector<std::int64_t> counts;

  /// The bin of a value, its upper end included in the last one; -1 outside and for NaN.
  int binOf(double value) const;
  /// Where a bin begins and, for the number of bins, where the last one ends.
  double edge(int bin) const;
};

/// From the least to the largest of `values`, which may hold NaN, in `bins` bins; in a single one
/// where all are equal, and without any where none is defined.
Histogram histogramOf(std::span<const double> values, int bins);

}  // namespace softscope
