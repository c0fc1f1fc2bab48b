#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace softscope {

/// Counts of the values in bins of equal width.
struct Histogram {
  double low = 0;
  double high = 1;
  std::vector<std::int64_t> counts;

  /// Returns the bin of a value, with the upper end included in the last bin; -1 outside and for
  /// NaN.
  int binOf(double value) const;
  /// Returns the lower edge of a bin or, for the number of bins, the upper edge of the last one.
  double edge(int bin) const;
};

/// Counts `values`, which may contain NaN, in `bins` bins from the smallest to the largest; in a
/// single bin if all are equal, and in none if none is defined.
Histogram histogramOf(std::span<const double> values, int bins);

}  // namespace softscope
