#include "core/survey/reading/PairedDifference.h"

#include "core/survey/reading/MeasureSummary.h"

#include <cmath>
#include <vector>

namespace softscope {

double studentQuantile(std::int64_t degrees) {
  // One and two have closed forms; from three on the expansion about the normal quantile converges
  // (Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.7.5).
  if (degrees <= 1) return 12.706204736174698;
  if (degrees == 2) return 4.302652729749464;
  constexpr double z = 1.959963984540054;
  const double n = static_cast<double>(degrees);
  const auto power = [](int exponent) { return std::pow(z, exponent); };
  const double first = (power(3) + z) / 4;
  const double second = (5 * power(5) + 16 * power(3) + 3 * z) / 96;
  const double third = (3 * power(7) + 19 * power(5) + 17 * power(3) - 15 * z) / 384;
  const double fourth =
      (79 * power(9) + 776 * power(7) + 1482 * power(5) - 1920 * power(3) - 945 * z) / 92160;
  return z + first / n + second / (n * n) + third / (n * n * n) + fourth / (n * n * n * n);
}

PairedDifference pairedDifference(const UnitValues& of, const UnitValues& reference) {
  std::vector<double> differences;
  std::size_t other = 0;
  for (std::size_t i = 0; i < of.pictures.size(); ++i) {
    while (other < reference.pictures.size() && reference.pictures[other] < of.pictures[i]) ++other;
    if (other == reference.pictures.size()) break;
    if (reference.pictures[other] != of.pictures[i]) continue;
    differences.push_back(of.values[i] - reference.values[other]);
  }
  const MeasureSummary summary = summarise(differences);
  PairedDifference difference;
  difference.count = summary.count;
  difference.mean = summary.mean;
  difference.standardError = summary.standardError;
  if (summary.count < 2) return difference;
  const double reach = studentQuantile(summary.count - 1) * summary.standardError;
  difference.low = summary.mean - reach;
  difference.high = summary.mean + reach;
  return difference;
}

}  // namespace softscope
