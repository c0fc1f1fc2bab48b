#include "core/survey/reading/PairedDifference.h"

#include "core/Quantile.h"
#include "core/survey/reading/MeasureSummary.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <tuple>
#include <vector>

namespace softscope {

namespace {

constexpr int resamples = 2000;
constexpr double oneTail = 0.025;

/// Probability outside an interval of 95 %.
constexpr double outside = 0.05;

/// Returns the first value, starting at 0, at which `falling` is at most `wanted`.
template <typename Falling>
double crossing(const Falling& falling, double wanted) {
  double high = 1;
  while (falling(high) > wanted && high < 1e300) high *= 2;
  double low = 0;
  for (int step = 0; step < 200 && low < high; ++step) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (falling(middle) > wanted ? low : high) = middle;
  }
  return high;
}

/// Returns the probability that the magnitude of Student's t exceeds `t`, by the finite series of
/// Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.7.3 and 26.7.4.
double studentTail(std::int64_t degrees, double t) {
  const double angle = std::atan2(std::sqrt(static_cast<double>(degrees)), t);  // from pi/2 to 0
  const double cosine = std::sin(angle);
  const double sine = std::cos(angle);
  const bool isOdd = degrees % 2 == 1;
  double term = isOdd ? cosine : 1;
  double sum = degrees > 1 ? term : 0;
  for (std::int64_t k = isOdd ? 3 : 2; k < degrees; k += 2) {
    const auto factor = static_cast<double>(k);
    term *= (factor - 1) / factor * cosine * cosine;
    sum += term;
  }
  if (!isOdd) return 1 - sine * sum;
  // 1 - 2 / pi (theta + sine sum) with theta = pi / 2 - angle.
  return 2 / std::numbers::pi * (angle - sine * sum);
}

/// Returns the quantile for many degrees of freedom, by the expansion about the normal quantile,
/// 26.7.5.
double manyDegreesQuantile(double degrees, double probability) {
  const double z =
      crossing([](double x) { return std::erfc(x / std::numbers::sqrt2); }, probability);
  const auto power = [z](int exponent) { return std::pow(z, exponent); };
  const double first = (power(3) + z) / 4;
  const double second = (5 * power(5) + 16 * power(3) + 3 * z) / 96;
  const double third = (3 * power(7) + 19 * power(5) + 17 * power(3) - 15 * z) / 384;
  return z + first / degrees + second / std::pow(degrees, 2) + third / std::pow(degrees, 3);
}

/// Returns `of` minus `reference` for the pictures for which both are defined.
std::vector<double> differencesBetween(const UnitValues& of, const UnitValues& reference) {
  std::vector<double> differences;
  std::size_t other = 0;
  for (std::size_t i = 0; i < of.pictures.size(); ++i) {
    while (other < reference.pictures.size() && reference.pictures[other] < of.pictures[i]) ++other;
    if (other == reference.pictures.size()) break;
    if (reference.pictures[other] != of.pictures[i]) continue;
    const double difference = of.values[i] - reference.values[other];
    if (!std::isnan(difference)) differences.push_back(difference);
  }
  return differences;
}

}  // namespace

const Matrix& Bootstrap::countsFor(std::size_t size) {
  const auto [found, isNew] = counts_.try_emplace(size);
  if (!isNew) return found->second;
  const auto width = static_cast<Eigen::Index>(size);
  found->second = Matrix::Zero(resamples, width);
  // The standard's distributions differ from library to library, its generators do not.
  std::mt19937 generator;
  for (int resample = 0; resample < resamples; ++resample) {
    for (std::size_t draw = 0; draw < size; ++draw) {
      const std::uint64_t drawn = (std::uint64_t{generator()} * size) >> 32;
      found->second(resample, static_cast<Eigen::Index>(drawn)) += 1;
    }
  }
  return found->second;
}

std::pair<double, double> Bootstrap::interval(std::span<const double> values) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (values.size() < 2 || values.size() > mostValues) return {none, none};
  const auto size = static_cast<Eigen::Index>(values.size());
  // Resampled around the mean, so that float32 rounds differences and not what they have in common.
  const Eigen::Map<const Eigen::VectorXd> all(values.data(), size);
  const double mean = all.mean();
  const Vector away = (all.array() - mean).matrix().cast<float>();
  const Vector sums = countsFor(values.size()) * away;
  std::vector<double> means(sums.begin(), sums.end());
  std::ranges::sort(means);
  const auto end = [&](double share) {
    return mean + quantileOfSorted(means, share) / static_cast<double>(size);
  };
  return {end(oneTail), end(1 - oneTail)};
}

double studentQuantile(std::int64_t degrees, double probability) {
  constexpr std::int64_t many = 400;
  if (degrees > many) return manyDegreesQuantile(static_cast<double>(degrees), probability);
  return crossing([degrees](double t) { return studentTail(degrees, t); }, probability);
}

PairedDifference pairedDifference(const UnitValues& of, const UnitValues& reference,
                                  Bootstrap* bootstrap) {
  const std::vector<double> differences = differencesBetween(of, reference);
  const MeasureSummary summary = summarise(differences);
  PairedDifference difference;
  difference.count = summary.count;
  difference.mean = summary.mean;
  difference.standardError = summary.standardError;
  if (summary.count < 2) return difference;
  const double reach = studentQuantile(summary.count - 1, outside) * summary.standardError;
  difference.low = summary.mean - reach;
  difference.high = summary.mean + reach;
  correctFor(1, difference);
  if (bootstrap) {
    std::tie(difference.bootstrapLow, difference.bootstrapHigh) = bootstrap->interval(differences);
  }
  return difference;
}

void correctFor(std::int64_t comparisons, PairedDifference& difference) {
  if (difference.count < 2) return;
  const double reach =
      studentQuantile(difference.count - 1, outside / static_cast<double>(comparisons)) *
      difference.standardError;
  difference.jointLow = difference.mean - reach;
  difference.jointHigh = difference.mean + reach;
}

}  // namespace softscope
