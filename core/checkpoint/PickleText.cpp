#include "core/checkpoint/Pickle.h"
#include "core/files/Malformed.h"
#include "core/text/FileText.h"

#include <charconv>
#include <cstddef>
#include <cstdint>

namespace softscope {

namespace {

[[noreturn]] void fail() {
  throw Malformed("has damaged pickle data: a string is not well formed");
}

std::uint32_t hexadecimal(std::string_view digits, std::size_t count) {
  std::uint32_t value = 0;
  if (digits.size() < count) fail();
  const char* end = digits.data() + count;
  const auto result = std::from_chars(digits.data(), end, value, 16);
  if (result.ec != std::errc() || result.ptr != end) fail();
  return value;
}

char simpleEscape(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case '\\':
    case '\'':
    case '"':
      return letter;
    default:
      fail();
  }
}

}  // namespace

std::string decodeQuotedLiteral(std::string_view line) {
  const bool isQuoted = line.size() >= 2 && (line.front() == '\'' || line.front() == '"') &&
                        line.back() == line.front();
  if (!isQuoted) fail();
  const std::string_view body = line.substr(1, line.size() - 2);
  std::string text;
  for (std::size_t position = 0; position < body.size(); ++position) {
    if (body[position] != '\\') {
      text += body[position];
      continue;
    }
    if (++position >= body.size()) fail();
    if (body[position] == 'x') {
      text += static_cast<char>(hexadecimal(body.substr(position + 1), 2));
      position += 2;
    } else {
      text += simpleEscape(body[position]);
    }
  }
  return text;
}

std::string decodeRawUnicode(std::string_view line) {
  std::string text;
  for (std::size_t position = 0; position < line.size(); ++position) {
    const char next = position + 1 < line.size() ? line[position + 1] : '\0';
    if (line[position] == '\\' && (next == 'u' || next == 'U')) {
      const std::size_t digits = next == 'u' ? 4 : 8;
      if (!appendUtf8(text, hexadecimal(line.substr(position + 2), digits))) fail();
      position += 1 + digits;
    } else {
      // Everything that is not escaped is Latin-1.
      appendUtf8(text, static_cast<unsigned char>(line[position]));
    }
  }
  return text;
}

}  // namespace softscope
