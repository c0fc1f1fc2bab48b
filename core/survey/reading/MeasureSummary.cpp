#include "core/survey/reading/MeasureSummary.h"

#include "core/Quantile.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace softscope {

namespace {

constexpr double whiskerLength = 1.5;

/// Adds up values in the order in which they were measured, so that the same values always give the
/// same sum.
void addMoments(const std::vector<double>& values, MeasureSummary& summary) {
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  summary.mean = sum / count;
  if (values.size() < 2) return;
  double squares = 0;
  for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
  summary.deviation = std::sqrt(squares / (count - 1));
  summary.standardError = summary.deviation / std::sqrt(count);
}

}  // namespace

MeasureSummary summarise(std::span<const double> values) {
  std::vector<double> defined;
  defined.reserve(values.size());
  std::copy_if(values.begin(), values.end(), std::back_inserter(defined),
               [](double value) { return !std::isnan(value); });
  MeasureSummary summary;
  summary.count = static_cast<std::int64_t>(defined.size());
  if (defined.empty()) return summary;
  addMoments(defined, summary);
  std::sort(defined.begin(), defined.end());
  summary.quartile1 = quantileOfSorted(defined, 0.25);
  summary.median = quantileOfSorted(defined, 0.5);
  summary.quartile3 = quantileOfSorted(defined, 0.75);
  const double reach = whiskerLength * (summary.quartile3 - summary.quartile1);
  // With few values, there may be none beyond an interpolated quartile; the whisker then ends at
  // the quartile.
  summary.lowerWhisker =
      std::min(summary.quartile1,
               *std::lower_bound(defined.begin(), defined.end(), summary.quartile1 - reach));
  summary.upperWhisker = std::max(
      summary.quartile3,
      *std::prev(std::upper_bound(defined.begin(), defined.end(), summary.quartile3 + reach)));
  return summary;
}

bool isOutlier(double value, const MeasureSummary& summary) {
  return value < summary.lowerWhisker || value > summary.upperWhisker;
}

}  // namespace softscope
