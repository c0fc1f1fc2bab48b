#pragma once

#include <optional>
#include <string>

namespace softscope {

/// The shortest text that reads back as the same number, whatever the locale.
std::string numberText(double number);

/// The number a whole text stands for.
std::optional<double> parseNumber(const std::string& text);

}  // namespace softscope
