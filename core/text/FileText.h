#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace softscope {

/// Quotes text from a file for use in a one-line message: control and non-ASCII bytes become `?`,
/// and long text is cut.
std::string quotedText(std::string_view text);

bool isUtf8(std::string_view text);

/// Returns a text file's content without the byte order mark that editors on Windows put first.
std::string_view withoutByteOrderMark(std::string_view text);

/// Appends the Unicode character with the number `character` as UTF-8. Appends nothing and returns
/// false if there is no such character.
bool appendUtf8(std::string& text, std::uint32_t character);

}  // namespace softscope
