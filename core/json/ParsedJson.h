#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace softscope {

/// The value of a text of JSON that anybody may have written; discarded where it is none, or nests
/// its values deeper than anything that is read here (copying and destroying them takes stack).
nlohmann::json parsedJson(std::string_view text);

/// Does the same, and keeps the members of objects in the order of the text.
nlohmann::ordered_json parsedOrderedJson(std::string_view text);

}  // namespace softscope
