#include "core/query/Proportion.h"

#include "core/text/Words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace softscope {
namespace {

constexpr double nearlyEven = 0.05;
constexpr double sumRounding = 1e-3;

/// Formats a number with two digits: `1.6`, `23`, `1.0e3`.
std::string twoDigits(double number) {
  if (number < 9.95) return fixedText(number, 1);
  if (number < 9999.5) return fixedText(number, 0);
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number,
                                          std::chars_format::scientific, 1);
  return {text.data(), end};
}

/// Rounds a share up to one digit, in percent: `0.3`, `1`, `4`.
std::string roundedUpPercent(double share) {
  const double percent = 100 * share;
  const double unit = std::pow(10.0, std::floor(std::log10(percent)));
  // Do not round up what exceeds a digit only by rounding error.
  const double up = std::ceil(percent / unit - 1e-6) * unit;
  std::array<char, 32> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), up, std::chars_format::general, 1);
  return {text.data(), end};
}

}  // namespace

std::string proportionText(const Vector& weights) {
  if (weights.size() < 2) return {};
  const double mean = weights.cwiseAbs().cast<double>().mean();
  // Also false if a weight is not finite.
  if (!(mean > 0) || !std::isfinite(mean)) return {};
  const double low = weights.minCoeff();
  const double high = weights.maxCoeff();
  const double largest = std::max(std::abs(low), std::abs(high)) / mean;
  const bool oneSign = low >= 0 || high <= 0;
  if (!oneSign) return "largest " + twoDigits(largest) + " × the mean";
  const double away = std::max(largest - 1, 1 - std::min(std::abs(low), std::abs(high)) / mean);
  // Only of weights that sum to 1 is the mean what uniform attention would give.
  const bool areShares = std::abs(mean * double(weights.size()) - 1) < sumRounding;
  if (away > nearlyEven) {
    return "largest " + twoDigits(largest) + (areShares ? " × uniform" : " × the mean");
  }
  // float32 holds seven digits.
  constexpr double rounding = 1e-6;
  if (away < rounding) return "uniform";
  return "nearly uniform, within " + roundedUpPercent(away) + " %";
}

std::string evennessText(const Vector& weights) {
  const std::string text = proportionText(weights);
  return text.starts_with("largest") ? std::string() : text;
}

}  // namespace softscope
