#pragma once

#include "core/checkpoint/PickleValue.h"

#include <string>
#include <string_view>

namespace softscope {

class ByteCursor;

/// Reads one pickle of protocol 0 to 5, up to and including its STOP. Nothing that it names is
/// imported or called: a class remains a name, and a call remains the name with its arguments.
/// Throws Malformed. The result belongs to `tree`.
const PickleValue& readPickle(ByteCursor& cursor, PickleTree& tree);

/// Decodes the string of a protocol 0 STRING line: a Python literal with its quotes.
std::string decodeQuotedLiteral(std::string_view line);

/// Decodes a protocol 0 UNICODE line (raw-unicode-escape) as UTF-8.
std::string decodeRawUnicode(std::string_view line);

}  // namespace softscope
