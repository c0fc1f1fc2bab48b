#include "core/FixedText.h"

#include <array>
#include <charconv>

namespace softscope {

std::string fixedText(double number, int digits) {
  // The largest double has 309 digits before the point.
  std::array<char, 400> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number,
                                          std::chars_format::fixed, digits);
  return {text.data(), end};
}

}  // namespace softscope
