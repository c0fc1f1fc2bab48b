#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace softscope {

/// Parses JSON from an untrusted source. Returns a discarded value if the text is invalid or nests
/// values deeper than any file read here (copying and destroying nested values takes stack).
nlohmann::json parsedJson(std::string_view text);

/// Parses like parsedJson(), and keeps the members of objects in the order of the text.
nlohmann::ordered_json parsedOrderedJson(std::string_view text);

/// Returns a whole number; nothing for any other value, also 2.5 and what is too large for it.
std::optional<int> integerIn(const nlohmann::json& json);

/// Returns the text, or the integer, that an object holds under `key`; nothing if it holds none, or
/// a value of another kind.
std::optional<std::string> memberText(const nlohmann::ordered_json& json, const char* key);
std::optional<int> memberInteger(const nlohmann::ordered_json& json, const char* key);

}  // namespace softscope
