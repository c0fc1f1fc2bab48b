#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

namespace softscope {

/// Returns `1 picture` or `3 pictures`, for nouns whose plural takes an s.
inline std::string countedText(std::int64_t count, const std::string& one) {
  return std::to_string(count) + ' ' + one + (count == 1 ? "" : "s");
}

/// Formats a number with a fixed number of digits after the point, in any locale: `2.10`.
std::string fixedText(double number, int digits);

/// Formats a number with three significant digits, in any locale: `0.0312`, `1.2e-05`.
std::string roundedText(double number);

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

/// Returns text with its ASCII letters in lower case.
std::string lowerCase(std::string text);

/// Joins names as in a sentence: `a, b or c`.
std::string listedWithOr(const std::vector<std::string>& names);

/// Makes untrusted text safe to print as one line of a message: control characters, characters that
/// change the writing direction, and invalid UTF-8 become `?`, and line breaks become spaces. A
/// text longer than `longest` bytes loses its middle, because messages end with what to do.
std::string printableText(std::string_view text, std::size_t longest = 480);

/// Returns the whole of a name from a file, or of a path, as printableText() makes it safe.
inline std::string printableName(std::string_view name) {
  return printableText(name, name.size());
}

/// Returns a name from a file as that of a new file: with `_` for slashes, control characters and
/// what is not UTF-8, and cut off where it would leave no room for an ending.
std::string asFileName(std::string_view name);

/// Returns a layer's name up to its last number, which distinguishes it from others: `block1.0` for
/// `block1.0.att.mha.attn`. A name without a number stays whole.
std::string shortLayerName(const std::string& name);

/// Returns text in quotes, as one word of a POSIX shell, which then interprets nothing in it.
std::string shellQuoted(std::string_view text);
/// Returns text as one word of a POSIX shell: in quotes if it needs them.
std::string shellWord(std::string_view text);

/// Returns the shortest text that reads back as the same number of this type, in any locale.
template <typename Number>
std::string numberText(Number number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

/// Parses a whole text as a decimal number; returns nothing if it is not one, or too large.
template <typename Number = double>
std::optional<Number> parseNumber(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace softscope
