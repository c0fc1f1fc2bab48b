#include "core/Quantile.h"

#include <algorithm>
#include <cstddef>

namespace softscope {

double quantileOfSorted(const std::vector<double>& sorted, double fraction) {
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double share = place - static_cast<double>(below);
  return sorted[below] + share * (sorted[above] - sorted[below]);
}

}  // namespace softscope
