#include "models/identify/TransformValues.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace softscope {

using nlohmann::json;

std::optional<bool> truthIn(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value == 0) return false;
  if (value == 1) return true;
  return std::nullopt;
}

std::optional<int> sideIn(const json& value) {
  constexpr std::int64_t longestSide = 8192;
  if (!value.is_number_integer()) return std::nullopt;
  const auto side = value.get<std::int64_t>();
  if (side < 1 || side > longestSide) return std::nullopt;
  return static_cast<int>(side);
}

std::optional<double> fractionIn(const json& root, const char* key) {
  if (!root.contains(key) || !root.at(key).is_number()) return std::nullopt;
  const auto fraction = root.at(key).get<double>();
  if (!(fraction > 0 && fraction <= 1)) return std::nullopt;
  return fraction;
}

std::optional<std::array<float, 3>> channelsIn(const json& root, const char* key) {
  if (!root.contains(key)) return std::nullopt;
  const json& given = root.at(key);
  std::array<float, 3> numbers{};
  const json list = given.is_array() ? given : json::array({given});
  if (list.size() != 1 && list.size() != numbers.size()) return std::nullopt;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const json& number = list[list.size() == 1 ? 0 : i];
    if (!number.is_number()) return std::nullopt;
    numbers[i] = number.get<float>();
    if (!std::isfinite(numbers[i])) return std::nullopt;
  }
  return numbers;
}

std::string shortenedJson(const json& value) {
  constexpr std::size_t longest = 60;
  const std::string text = value.dump(-1, ' ', true);
  return text.size() > longest ? text.substr(0, longest) + "..." : text;
}

}  // namespace softscope
