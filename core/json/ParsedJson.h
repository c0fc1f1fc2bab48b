#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace softscope {

/// Parses JSON from an untrusted source. Returns a discarded value if the text is invalid or nests
/// values deeper than any file read here (copying and destroying nested values takes stack).
nlohmann::json parsedJson(std::string_view text);

/// Parses like parsedJson(), and keeps the members of objects in the order of the text.
nlohmann::ordered_json parsedOrderedJson(std::string_view text);

}  // namespace softscope
