#pragma once

#include <string>
#include <string_view>

namespace softscope {

/// The string that a protocol 0 STRING line spells: a Python literal with its quotes.
std::string decodeQuotedLiteral(std::string_view line);

/// The UTF-8 text of a protocol 0 UNICODE line (raw-unicode-escape).
std::string decodeRawUnicode(std::string_view line);

}  // namespace softscope
