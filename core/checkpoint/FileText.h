#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace softscope {

/// Text from a file in quotes, fit for one line of a message: control and non-ASCII bytes become
/// `?`, and what is long is cut.
std::string quotedText(std::string_view text);

bool isUtf8(std::string_view text);

/// Appends that character of Unicode, given by its number. False, with nothing appended, where it
/// lies beyond Unicode.
bool appendUtf8(std::string& text, std::uint32_t character);

}  // namespace softscope
