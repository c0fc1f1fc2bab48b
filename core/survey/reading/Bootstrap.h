#pragma once

#include "core/Matrix.h"

#include <cstddef>
#include <map>
#include <span>
#include <utility>

namespace softscope {

/// Confidence intervals of means over pictures by resampling pictures with replacement, 2000 times
/// ("An Introduction to the Bootstrap", 1993, Section 13.3): the quantiles of the resampled means,
/// which assume no distribution. Samples of the same size are resampled alike, whenever and in
/// whatever order, so that the same values have the same interval.
class Bootstrap {
 public:
  /// The largest sample that is resampled; the means of larger ones are as good as normal.
  static constexpr std::size_t mostValues = 5000;

  /// Returns the ends of the interval that holds the mean with a probability of 95 %; NaN for fewer
  /// than two values or more than mostValues.
  std::pair<double, double> interval(std::span<const double> values);

 private:
  const Matrix& countsFor(std::size_t size);

  /// How often each resample takes each value of a sample, by the sample's size: [resamples, size].
  std::map<std::size_t, Matrix> counts_;
};

}  // namespace softscope
