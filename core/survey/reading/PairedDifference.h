#pragma once

#include "core/Matrix.h"
#include "core/survey/reading/SurveyReader.h"

#include <cstddef>
#include <cstdint>
#include <limits>
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

/// The difference between the values of one measure for two units, taken picture by picture, so
/// that what a picture does to both values cancels.
struct PairedDifference {
  /// Number of pictures for which both are defined.
  std::int64_t count = 0;
  /// Mean difference; NaN if there are no pictures.
  double mean = std::numeric_limits<double>::quiet_NaN();
  /// Standard error of the mean, and the ends of its 95 % confidence interval by Student's t
  /// distribution ("The Probable Error of a Mean", 1908); NaN for fewer than two pictures.
  double standardError = std::numeric_limits<double>::quiet_NaN();
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
  /// The ends of its joint interval with other differences: with a probability of at least 95 %,
  /// all joint intervals contain their true means at once (Bonferroni's inequality).
  double jointLow = std::numeric_limits<double>::quiet_NaN();
  double jointHigh = std::numeric_limits<double>::quiet_NaN();
  /// The ends of the mean's 95 % interval by the bootstrap; NaN if that was left out.
  double bootstrapLow = std::numeric_limits<double>::quiet_NaN();
  double bootstrapHigh = std::numeric_limits<double>::quiet_NaN();
};

/// Compares `of` with `reference`, as `of` minus `reference`; each has one value per picture. The
/// joint interval is that of a single difference. Without `bootstrap`, that interval is left out.
PairedDifference pairedDifference(const UnitValues& of, const UnitValues& reference,
                                  Bootstrap* bootstrap = nullptr);

/// Widens the joint interval to that of one among `comparisons` differences.
void correctFor(std::int64_t comparisons, PairedDifference& difference);

/// Returns the value that the magnitude of Student's t, with at least one degree of freedom,
/// exceeds with this probability, which must be between 0 and 1, both excluded. Accurate to five
/// digits.
double studentQuantile(std::int64_t degrees, double probability);

}  // namespace softscope
