#pragma once

#include <string>

namespace softscope {

/// A line on stderr about what is done otherwise than it may be expected. The command goes on.
void note(const std::string& text);

}  // namespace softscope
