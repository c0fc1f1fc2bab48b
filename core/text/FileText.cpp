#include "core/text/FileText.h"

#include <cstddef>
#include <cstdint>

namespace softscope {

namespace {

/// Returns the number of bytes that follow `lead` in a UTF-8 sequence, or -1 if no sequence starts
/// with it.
int continuationBytes(unsigned char lead) {
  if (lead < 0x80) return 0;
  if (lead >= 0xc2 && lead < 0xe0) return 1;
  if (lead >= 0xe0 && lead < 0xf0) return 2;
  if (lead >= 0xf0 && lead < 0xf5) return 3;
  return -1;
}

/// Rejects over-long forms, surrogates and numbers beyond Unicode, which are not UTF-8 either.
bool isAllowed(std::uint32_t character, int continuation) {
  constexpr std::uint32_t smallest[] = {0, 0x80, 0x800, 0x10000};
  const bool surrogate = character >= 0xd800 && character < 0xe000;
  return character >= smallest[continuation] && character < 0x110000 && !surrogate;
}

}  // namespace

std::string quotedText(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::string result = "'";
  for (const char character : text.substr(0, longest)) {
    result += character >= 0x20 && character < 0x7f ? character : '?';
  }
  return result + (text.size() > longest ? "...'" : "'");
}

bool isUtf8(std::string_view text) {
  for (std::size_t position = 0; position < text.size();) {
    const auto lead = static_cast<unsigned char>(text[position++]);
    const int continuation = continuationBytes(lead);
    if (continuation < 0) return false;
    std::uint32_t character = continuation == 0 ? lead : lead & (0x3fu >> continuation);
    for (int left = continuation; left > 0; --left) {
      if (position >= text.size()) return false;
      const auto next = static_cast<unsigned char>(text[position++]);
      if ((next & 0xc0) != 0x80) return false;
      character = character << 6 | (next & 0x3f);
    }
    if (!isAllowed(character, continuation)) return false;
  }
  return true;
}

std::string_view withoutByteOrderMark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  return text;
}

bool appendUtf8(std::string& text, std::uint32_t character) {
  const auto tail = [&](int shift) {
    text += static_cast<char>(0x80 | (character >> shift & 0x3f));
  };
  if (character >= 0x110000) return false;
  if (character < 0x80) {
    text += static_cast<char>(character);
  } else if (character < 0x800) {
    text += static_cast<char>(0xc0 | character >> 6);
    tail(0);
  } else if (character < 0x10000) {
    text += static_cast<char>(0xe0 | character >> 12);
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xf0 | character >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
  return true;
}

}  // namespace softscope
