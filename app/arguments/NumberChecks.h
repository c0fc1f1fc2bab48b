#pragma once

#include <CLI/CLI.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace softscope {

// Checks of numbers without an upper limit. CLI11's own name the largest float64 as one, in 309
// digits.

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

}  // namespace softscope
