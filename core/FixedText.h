#pragma once

#include <string>

namespace softscope {

/// Formats a number with a fixed number of digits after the point, in any locale: `2.10`.
std::string fixedText(double number, int digits);

}  // namespace softscope
