#include "core/json/ParsedJson.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace softscope {

namespace {

/// Returns true if brackets outside strings are nested deeper than any legitimate file needs.
bool nestsJsonTooDeep(std::string_view text) {
  constexpr int deepest = 64;
  int depth = 0;
  bool isInString = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (isInString) {
      if (letter == '\\') ++i;
      isInString = letter != '"';
    } else if (letter == '"') {
      isInString = true;
    } else if (letter == '[' || letter == '{') {
      if (++depth > deepest) return true;
    } else if (letter == ']' || letter == '}') {
      --depth;
    }
  }
  return false;
}

template <typename Json>
Json parsedShallow(std::string_view text) {
  if (nestsJsonTooDeep(text)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

template <typename Json>
std::optional<int> wholeNumberIn(const Json& json) {
  if (!json.is_number_integer()) return std::nullopt;
  // A number above the signed ones would wrap.
  const bool isLarge =
      json.is_number_unsigned() && json.template get<std::uint64_t>() >
                                       static_cast<std::uint64_t>(std::numeric_limits<int>::max());
  if (isLarge) return std::nullopt;
  const auto number = json.template get<std::int64_t>();
  if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max()) {
    return std::nullopt;
  }
  return static_cast<int>(number);
}

}  // namespace

nlohmann::json parsedJson(std::string_view text) {
  return parsedShallow<nlohmann::json>(text);
}

nlohmann::ordered_json parsedOrderedJson(std::string_view text) {
  return parsedShallow<nlohmann::ordered_json>(text);
}

std::optional<std::string> memberText(const nlohmann::ordered_json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::optional<int> integerIn(const nlohmann::json& json) {
  return wholeNumberIn(json);
}

std::optional<int> memberInteger(const nlohmann::ordered_json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() ? std::nullopt : wholeNumberIn(*found);
}

}  // namespace softscope
