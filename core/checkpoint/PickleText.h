#pragma once

#include <string>
#include <string_view>

namespace softscope {

/// Decodes the string of a protocol 0 STRING line: a Python literal with its quotes.
std::string decodeQuotedLiteral(std::string_view line);

/// Decodes a protocol 0 UNICODE line (raw-unicode-escape) as UTF-8.
std::string decodeRawUnicode(std::string_view line);

}  // namespace softscope
