#include "core/train/Schedule.h"

#include <algorithm>
#include <cmath>

namespace softscope {

std::string nameOf(LearningRateFall fall) {
  return fall == LearningRateFall::Step ? "step" : "cosine";
}

double Schedule::rate(std::int64_t step) const {
  constexpr double pi = 3.14159265358979323846;
  if (step < warmup) {
    return peak * static_cast<double>(step + 1) / static_cast<double>(warmup);
  }
  if (fall == LearningRateFall::Step) {
    const auto passed = std::upper_bound(drops.begin(), drops.end(), step) - drops.begin();
    return peak / std::pow(10.0, static_cast<double>(passed));
  }
  const auto rest = static_cast<double>(std::max<std::int64_t>(1, steps - 1 - warmup));
  const double done = std::min(1.0, static_cast<double>(step - warmup) / rest);
  return floor + 0.5 * (peak - floor) * (1 + std::cos(pi * done));
}

}  // namespace softscope
