#pragma once

#include <string>

namespace softscope {

/// `2.10`: the number with so many digits behind a point, whatever the locale.
std::string fixedText(double number, int digits);

}  // namespace softscope
