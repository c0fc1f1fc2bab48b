#include "core/survey/reading/Bootstrap.h"

#include "core/Quantile.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace softscope {

namespace {

constexpr int resamples = 2000;
constexpr double oneTail = 0.025;

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

}  // namespace softscope
