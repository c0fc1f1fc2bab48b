#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace softscope {

/// Makes untrusted text safe to print as one line of a message: control characters, characters that
/// change the writing direction, and invalid UTF-8 become `?`, and line breaks become spaces. A
/// text longer than `longest` bytes loses its middle, because messages end with what to do.
std::string printableText(std::string_view text, std::size_t longest = 480);

}  // namespace softscope
