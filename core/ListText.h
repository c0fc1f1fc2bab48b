#pragma once

#include <functional>
#include <string>
#include <type_traits>

namespace softscope {

/// Joins `textOf` of each item, a text or a number, with `separator`: `a, b, c`.
template <typename Range, typename Projection = std::identity>
std::string listText(const Range& items, const std::string& separator = ", ",
                     Projection textOf = {}) {
  std::string text;
  bool first = true;
  for (const auto& item : items) {
    if (!first) text += separator;
    first = false;
    decltype(auto) part = std::invoke(textOf, item);
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(part)>>) {
      text += std::to_string(part);
    } else {
      text += part;
    }
  }
  return text;
}

}  // namespace softscope
