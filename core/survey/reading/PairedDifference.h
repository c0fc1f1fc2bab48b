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
};

/// `of` minus `reference`; each has one value a picture.
PairedDifference pairedDifference(const UnitValues& of, const UnitValues& reference);

/// What Student's t with so many degrees of freedom exceeds with a probability of 2.5 %; within
/// 0.2 %.
double studentQuantile(std::int64_t degrees);

}  // namespace softscope
