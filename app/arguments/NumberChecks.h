#pragma once

#include <CLI/CLI.hpp>

#include <limits>
#include <sstream>
#include <string>
#include <type_traits>

namespace softscope {

// Checks of numbers where CLI11's own fall short: without an upper limit they name the largest
// float64 as one, in 309 digits, and they let NaN pass every limit.

/// Returns a validator for an option that takes `what`.
template <typename Accepts>
CLI::Validator checkOf(const std::string& what, Accepts accepts) {
  return CLI::Validator(
      [what, accepts](std::string& text) {
        return accepts(text) ? std::string() : "takes " + what + ", not \"" + text + "\"";
      },
      "");
}

/// Accepts numbers from 0 on.
inline CLI::Validator zeroOrMore() {
  return checkOf("a number from 0 on", [](const std::string& text) {
    double number = 0;
    return CLI::detail::lexical_cast(text, number) && number >= 0 &&
           number <= std::numeric_limits<double>::max();
  });
}

/// Accepts numbers above 0.
inline CLI::Validator aboveZero() {
  return checkOf("a number above 0", [](const std::string& text) {
    double number = 0;
    return CLI::detail::lexical_cast(text, number) && number > 0 &&
           number <= std::numeric_limits<double>::max();
  });
}

/// Accepts numbers from `low` to `high`.
template <typename Number>
CLI::Validator between(Number low, Number high) {
  std::ostringstream what;
  what << (std::is_integral_v<Number> ? "a whole number from " : "a number from ") << low << " to "
       << high;
  CLI::Validator check = checkOf(what.str(), [low, high](const std::string& text) {
    Number number = 0;
    return CLI::detail::lexical_cast(text, number) && number >= low && number <= high;
  });
  return check.description(CLI::Range(low, high).get_description());
}

}  // namespace softscope
