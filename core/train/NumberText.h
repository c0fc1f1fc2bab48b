#pragma once

#include <optional>
#include <string>

namespace softscope {

/// Returns the shortest text that reads back as the same number, in any locale.
std::string numberText(double number);

/// Parses a whole text as a number; returns nothing if it is not one.
std::optional<double> parseNumber(const std::string& text);

}  // namespace softscope
