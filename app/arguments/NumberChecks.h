#pragma once

#include <CLI/CLI.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace softscope {

// Checks of numbers where CLI11's own fall short: without an upper limit they name the largest
// float64 as one, in 309 digits, and they let NaN pass every limit.

/// Accepts numbers from 0 on.
inline CLI::Validator zeroOrMore() {
  return CLI::Validator(
      [](std::string& text) {
        double number = 0;
        const bool fits = CLI::detail::lexical_cast(text, number) && number >= 0 &&
                          number <= std::numeric_limits<double>::max();
        return fits ? std::string() : "is a number from 0 on, not \"" + text + "\"";
      },
      "");
}

/// Accepts numbers above 0.
inline CLI::Validator aboveZero() {
  return CLI::Validator(
      [](std::string& text) {
        double number = 0;
        const bool fits = CLI::detail::lexical_cast(text, number) && number > 0 &&
                          number <= std::numeric_limits<double>::max();
        return fits ? std::string() : "is a number above 0, not \"" + text + "\"";
      },
      "");
}

/// Accepts numbers from `low` to `high`.
template <typename Number>
CLI::Validator between(Number low, Number high) {
  const CLI::Validator number(
      [](std::string& text) {
        double value = 0;
        const bool isNaN = CLI::detail::lexical_cast(text, value) && std::isnan(value);
        return isNaN ? "is a number, not \"" + text + "\"" : std::string();
      },
      "");
  return CLI::Range(low, high) & number;
}

}  // namespace softscope
