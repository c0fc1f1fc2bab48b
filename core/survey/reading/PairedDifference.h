#pragma once

#include "core/survey/reading/SurveyReader.h"

#include <cstdint>
#include <limits>

namespace softscope {

/// How far a measure of one unit lies from the same measure of another, picture by picture, so that
/// what pictures have in common cancels.
struct PairedDifference {
  /// Pictures for which both are defined.
  std::int64_t count = 0;
  /// NaN without any.
  double mean = std::numeric_limits<double>::quiet_NaN();
  /// Of the mean, and the ends of its 95 % confidence interval by Student's t distribution ("The
  /// Probable Error of a Mean", 1908); NaN for fewer than two pictures.
  double standardError = std::numeric_limits<double>::quiet_NaN();
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
  /// The ends of its interval among several: with a probability of 95 % or more, all of these hold
  /// what they are of at once (Bonferroni's inequality).
  double jointLow = std::numeric_limits<double>::quiet_NaN();
  double jointHigh = std::numeric_limits<double>::quiet_NaN();
};

/// `of` minus `reference`; each has one value a picture. Its joint interval is that of one
/// difference alone.
PairedDifference pairedDifference(const UnitValues& of, const UnitValues& reference);

/// Makes the joint interval that of one among so many differences.
void correctFor(std::int64_t comparisons, PairedDifference& difference);

/// What the magnitude of Student's t with so many degrees of freedom, at least one, exceeds with
/// that probability, which is above 0 and below 1; to five digits.
double studentQuantile(std::int64_t degrees, double probability);

}  // namespace softscope
