#include "core/json/ParsedJson.h"

#include <nlohmann/json.hpp>

#include <cstddef>

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

std::optional<int> memberInteger(const nlohmann::ordered_json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<int>();
}

}  // namespace softscope
