#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace softscope {

/// Text of anybody's as a line of a message: control characters, characters that turn the writing
/// direction, and bytes that are no UTF-8 become `?`, and line breaks spaces. Of what is longer
/// than `longest` bytes the middle is left out, because messages end with what to do.
std::string printableText(std::string_view text, std::size_t longest = 480);

}  // namespace softscope
