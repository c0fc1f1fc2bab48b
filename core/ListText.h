#pragma once

#include <functional>
#include <string>
#include <type_traits>

namespace softscope {

/// `a, b, c`: what `textOf` says of each item, texts or numbers, with `separator` between them.
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
