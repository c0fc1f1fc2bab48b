#include "core/analysis/deletion/PatchOrder.h"

#include "core/files/Sha256.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

namespace softscope {

namespace {

/// Returns a number below `end`, each with the same probability. (std::uniform_int_distribution
/// differs between libraries.)
std::uint32_t evenNumberBelow(std::uint32_t end, std::mt19937& engine) {
  const std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  const std::uint32_t refused = most - most % end;
  std::uint_fast32_t number = engine();
  while (number >= refused) number = engine();
  return static_cast<std::uint32_t>(number % end);
}

/// Returns a colour in 255 steps from 0 to 255; NaN becomes 0.
char colorStep(float value, float mean, float deviation) {
  const double step = 255.0 * (static_cast<double>(value) * deviation + mean);
  return static_cast<char>(
      static_cast<unsigned char>(step > 0 ? std::lround(std::min(step, 255.0)) : 0));
}

}  // namespace

std::vector<int> randomPatchOrder(int patches, std::uint32_t seed) {
  std::mt19937 engine(seed);
  std::vector<int> order(static_cast<std::size_t>(patches));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t left = order.size(); left > 1; --left) {
    const std::size_t chosen = evenNumberBelow(static_cast<std::uint32_t>(left), engine);
    std::swap(order[left - 1], order[chosen]);
  }
  return order;
}

std::vector<int> patchOrder(const Eigen::VectorXd& scores, std::uint32_t seed) {
  const auto ranked = [&](int patch) {
    return std::isnan(scores[patch]) ? -std::numeric_limits<double>::infinity() : scores[patch];
  };
  std::vector<int> order = randomPatchOrder(static_cast<int>(scores.size()), seed);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return ranked(a) > ranked(b); });
  return order;
}

std::string pictureIdentity(const InputTensor& input, const InputTransform& transform) {
  std::string bytes = std::to_string(input.height) + "x" + std::to_string(input.width) + ":";
  const std::size_t pixels =
      static_cast<std::size_t>(input.height) * static_cast<std::size_t>(input.width);
  bytes.reserve(bytes.size() + input.values.size());
  for (std::size_t i = 0; i < input.values.size(); ++i) {
    const std::size_t channel = std::min<std::size_t>(i / std::max<std::size_t>(1, pixels), 2);
    bytes += colorStep(input.values[i], transform.mean[channel], transform.deviation[channel]);
  }
  Sha256 checksum;
  checksum.add(bytes);
  return checksum.digest();
}

std::uint32_t orderSeed(const std::string& identity, int number) {
  Sha256 checksum;
  checksum.add(identity + ":" + std::to_string(number));
  constexpr std::size_t digits = 8;
  constexpr int base = 16;
  return static_cast<std::uint32_t>(std::stoul(checksum.digest().substr(0, digits), nullptr, base));
}

}  // namespace softscope
