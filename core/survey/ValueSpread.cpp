#include "core/survey/ValueSpread.h"

#include <cmath>

namespace softscope {

void ValueSpread::add(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return;
  // Welford's update, which loses no digits over many pictures.
  const double before = *value - mean_;
  mean_ += before / static_cast<double>(++pictures_);
  squares_ += before * (*value - mean_);
}

std::optional<double> ValueSpread::mean() const {
  if (pictures_ == 0) return std::nullopt;
  return mean_;
}

std::optional<double> ValueSpread::deviation() const {
  if (pictures_ < 2) return std::nullopt;
  return std::sqrt(squares_ / static_cast<double>(pictures_ - 1));
}

}  // namespace softscope
