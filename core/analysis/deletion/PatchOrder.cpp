#include "core/analysis/deletion/PatchOrder.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

namespace softscope {

namespace {

/// Below `end`, each as probable as any other. (What std::uniform_int_distribution makes of an
/// engine differs between libraries.)
std::uint32_t evenNumberBelow(std::uint32_t end, std::mt19937& engine) {
  const std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  const std::uint32_t refused = most - most % end;
  std::uint_fast32_t number = engine();
  while (number >= refused) number = engine();
  return static_cast<std::uint32_t>(number % end);
}

}  // namespace

std::vector<int> randomPatchOrder(int patches, int seed) {
  std::mt19937 engine(static_cast<std::uint32_t>(seed));
  std::vector<int> order(static_cast<std::size_t>(patches));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t left = order.size(); left > 1; --left) {
    const std::size_t chosen = evenNumberBelow(static_cast<std::uint32_t>(left), engine);
    std::swap(order[left - 1], order[chosen]);
  }
  return order;
}

std::vector<int> patchOrder(const Eigen::VectorXd& scores) {
  const auto ranked = [&](int patch) {
    return std::isnan(scores[patch]) ? -std::numeric_limits<double>::infinity() : scores[patch];
  };
  std::vector<int> order = randomPatchOrder(static_cast<int>(scores.size()), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return ranked(a) > ranked(b); });
  return order;
}

}  // namespace softscope
