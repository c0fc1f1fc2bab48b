#include "core/text/Words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>

namespace softscope {

std::string fixedText(double number, int digits) {
  // The largest double has 309 digits before the point.
  std::array<char, 400> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number,
                                          std::chars_format::fixed, digits);
  return {text.data(), end};
}

std::string roundedText(double number) {
  std::array<char, 32> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::general, 3);
  return {text.data(), end};
}

std::string shortLayerName(const std::string& name) {
  const auto isNumber = [&](std::size_t from, std::size_t to) {
    return from < to && std::all_of(name.begin() + static_cast<std::ptrdiff_t>(from),
                                    name.begin() + static_cast<std::ptrdiff_t>(to),
                                    [](unsigned char letter) { return std::isdigit(letter) != 0; });
  };
  for (std::size_t end = name.size(); end > 0;) {
    const std::size_t dot = name.rfind('.', end - 1);
    const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
    if (isNumber(begin, end)) return name.substr(0, end);
    if (dot == std::string::npos) break;
    end = dot;
  }
  return name;
}

std::string lowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

std::string listedWithOr(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool last = i + 1 == names.size();
    text += (i == 0 ? "" : last ? " or " : ", ") + names[i];
  }
  return text;
}

namespace {

struct PrintedCharacter {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

/// Returns the first UTF-8 character of `text`, which must not be empty.
PrintedCharacter firstCharacter(std::string_view text) {
  const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || bytes > text.size()) return {};
  std::uint32_t code = lead & (0x7fu >> bytes);
  for (std::size_t index = 1; index < bytes; ++index) {
    if ((byte(index) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(index) & 0x3fu);
  }
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool isSurrogate = code >= 0xd800 && code < 0xe000;
  if (code < smallest[bytes] || code > 0x10ffff || isSurrogate) return {};
  return {code, bytes, true};
}

bool isControl(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

bool isPrinted(std::uint32_t code) {
  const bool breaksLine = code == 0x2028 || code == 0x2029;
  // Marks, embeddings, overrides and isolates that change the writing direction.
  const bool turns = code == 0x061c || code == 0x200e || code == 0x200f ||
                     (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return !isControl(code) && !breaksLine && !turns;
}

/// Returns the first position at or after `position` where a character begins.
std::size_t characterFrom(std::string_view text, std::size_t position) {
  while (position < text.size() && (static_cast<unsigned char>(text[position]) & 0xc0) == 0x80) {
    ++position;
  }
  return position;
}

std::string withoutMiddle(const std::string& text, std::size_t longest) {
  constexpr std::string_view gap = " ... ";
  const std::size_t kept = longest - std::min(longest, gap.size());
  const std::size_t tail = kept / 3;
  std::size_t head = kept - tail;
  while (head > 0 && (static_cast<unsigned char>(text[head]) & 0xc0) == 0x80) --head;
  return text.substr(0, head) + std::string(gap) +
         text.substr(characterFrom(text, text.size() - tail));
}

}  // namespace

std::string printableText(std::string_view text, std::size_t longest) {
  // Showing the two ends of a text does not require reading a megabyte.
  if (text.size() > 8 * longest) {
    return printableText(std::string(text.substr(0, 4 * longest)) +
                             std::string(text.substr(text.size() - 4 * longest)),
                         longest);
  }
  std::string printed;
  for (std::size_t position = 0; position < text.size();) {
    const PrintedCharacter character = firstCharacter(text.substr(position));
    if (character.valid && (character.code == '\n' || character.code == '\t')) {
      printed += ' ';
    } else if (character.valid && isPrinted(character.code)) {
      printed += text.substr(position, character.bytes);
    } else {
      printed += '?';
    }
    position += character.bytes;
  }
  return printed.size() > longest ? withoutMiddle(printed, longest) : printed;
}

std::string asFileName(std::string_view name) {
  // The system allows names of 255 bytes.
  constexpr std::size_t mostBytes = 200;
  std::string written;
  for (std::size_t position = 0; position < name.size();) {
    const PrintedCharacter character = firstCharacter(name.substr(position));
    const bool isKept = character.valid && character.code != '/' && !isControl(character.code);
    if (written.size() + (isKept ? character.bytes : 1) > mostBytes) break;
    written += isKept ? name.substr(position, character.bytes) : "_";
    position += character.bytes;
  }
  return written;
}

std::string shellQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char letter : text) {
    // Ends the quoted part, adds an escaped quote, and begins the next quoted part.
    if (letter == '\'') {
      quoted += "'\\''";
    } else {
      quoted += letter;
    }
  }
  return quoted + "'";
}

std::string shellWord(std::string_view text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=,:+-@%";
  const bool isPlain = !text.empty() && text.find_first_not_of(plain) == std::string_view::npos;
  return isPlain ? std::string(text) : shellQuoted(text);
}

}  // namespace softscope
